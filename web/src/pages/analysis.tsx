import { useEffect } from "preact/hooks";
import { get } from "../lib/api";
import { choices } from "../lib/choices";
import { useLoad } from "../lib/load";
import { Link, useQuery } from "../lib/router";
import type { ChoicesResponse, UsageResponse } from "../lib/types";
import { ErrorNotice, ProgressBar, PageHeader, Skeleton } from "../components/basics";
import { loadResult } from "./analysis/load";
import { AnalysisForm } from "./analysis/form";
import { History } from "./analysis/history";
import { draftOf, emptyDraft, type Draft } from "./analysis/request";
import { analysis } from "../strings/analysis";
import { common } from "../strings/common";

export { ResultPage } from "./analysis/result";
export { ResultPostsPage } from "./analysis/posts";

// initialDraft returns the initial form: an earlier request, or the last 24 hours in the user's
// time zone.
async function initialDraft(again: string | null, all: ChoicesResponse): Promise<Draft> {
  if (again) return draftOf((await loadResult(again)).request, all.sources);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return emptyDraft(all.sources, all.timezones.includes(own) ? own : "UTC");
}

// AnalysisPage has the form of a new analysis and lists the user's earlier ones.
export function AnalysisPage() {
  const [query] = useQuery();
  const again = query.get("again");
  const { data, error, reload } = useLoad(`analysis ${again}`, async () => {
    const all = await choices();
    return { choices: all, again, draft: await initialDraft(again, all) };
  });
  useEffect(() => {
    if (again) window.scrollTo(0, 0); // the form is at the top
  }, [again]);
  return (
    <>
      <PageHeader
        title={common.pages.analysis}
        lead={
          <>
            {analysis.lead} <Link href="/monitors/new">{analysis.longer}</Link>
          </>
        }
      />
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

// Usage shows how much of the contract's limit of analyses is used.
function Usage() {
  const { data } = useLoad("usage", () => get<UsageResponse>("/manage/v1/usage"));
  if (!data) return null;
  const { used, limit, periodStart } = data.queries;
  const text = analysis.usage(used, limit, periodStart);
  return (
    <div class="card stack tight">
      <span>{text}</span>
      {limit > 0 && <ProgressBar share={used / limit} label={text} />}
    </div>
  );
}
