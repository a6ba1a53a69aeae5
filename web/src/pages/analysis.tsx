import { useEffect } from "preact/hooks";
import { get } from "../lib/api";
import { choices } from "../lib/choices";
import { day, number, plural } from "../lib/format";
import { useLoad } from "../lib/load";
import { useQuery } from "../lib/router";
import type { ChoicesResponse, UsageResponse } from "../lib/types";
import { ErrorNotice, ProgressBar, PageHeader, Skeleton } from "../components/basics";
import { loadResult } from "./analysis/load";
import { AnalysisForm } from "./analysis/form";
import { History } from "./analysis/history";
import { draftOf, emptyDraft, type Draft } from "./analysis/request";

export { ResultPage } from "./analysis/result";

// initialDraft is what the form has at the beginning: a request of before, or one for the last day on the reader's clock.
async function initialDraft(again: string | null, all: ChoicesResponse): Promise<Draft> {
  if (again) return draftOf((await loadResult(again)).request, all.sources);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return emptyDraft(all.sources, all.timezones.includes(own) ? own : "UTC");
}

// AnalysisPage asks for an analysis, and lists those of before.
export function AnalysisPage() {
  const [query] = useQuery();
  const again = query.get("again");
  const { data, error, reload } = useLoad(`analysis ${again}`, async () => {
    const all = await choices();
    return { choices: all, again, draft: await initialDraft(again, all) };
  });
  useEffect(() => {
    if (again) window.scrollTo(0, 0); // to the form
  }, [again]);
  return (
    <>
      <PageHeader title="Analysis" lead="Ask once, without a monitor: what do the posts look like that these keywords find, in up to 24 hours?" />
      <div class="columns">
        <div class="c8">
          {error && <ErrorNotice error={error} retry={reload} />}
          {!data && !error && <Skeleton height="24rem" />}
          {data && <AnalysisForm key={data.again ?? "new"} first={data.draft} choices={data.choices} />}
        </div>
        <div class="c4 stack">
          <Usage />
          <History />
        </div>
      </div>
    </>
  );
}

// Usage says how many of the contracted analyses were made.
function Usage() {
  const { data } = useLoad("usage", () => get<UsageResponse>("/manage/v1/usage"));
  if (!data) return null;
  const { used, limit, periodStart } = data.queries;
  const text = `${limit ? `${number(used)} of ${plural(limit, "analysis", "analyses")}` : plural(used, "analysis", "analyses")} used since ${day(periodStart)}${limit ? "" : ", no limit"}`;
  return (
    <div class="card stack tight">
      <span>{text}</span>
      {limit > 0 && <ProgressBar share={used / limit} label={text} />}
    </div>
  );
}
