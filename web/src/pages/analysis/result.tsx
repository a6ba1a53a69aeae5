import { choices } from "../../lib/choices";
import { clock, moment, number, plural } from "../../lib/format";
import { useEvery, useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Analysis, AnalysisRequest, AnalysisResult } from "../../lib/types";
import { Empty, Failed, Notice, PageHead, Waiting } from "../../parts/basics";
import { loadAnswer, loadAsked, stateNames, stateTones } from "./answer";
import { Charts } from "./charts";
import { sourceName } from "./request";

const attempts = 6; // after which a request is given up

// ResultPage shows the answer to an analysis request, and waits for it where there is none yet.
export function ResultPage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(`result ${id}`, async () => {
    const [answer, asked, all] = await Promise.all([loadAnswer(id), loadAsked(id).catch(() => undefined), choices()]);
    return { answer, asked, sources: all.sources };
  });
  useEvery(data?.answer.status === "WAITING" ? 2000 : 0, reload);
  if (error && !data) return <Failed error={error} retry={reload} />;
  if (!data) return <Waiting height="20rem" />;
  const { answer, asked, sources } = data;
  return (
    <>
      <PageHead
        title={clipped(answer.request.keywords)}
        badge={<span class={`badge ${stateTones[answer.status]}`}>{stateNames[answer.status]}</span>}
        lead={<Lead request={answer.request} asked={asked} sources={sources} />}
      >
        <Link class="button" href="/analysis">
          New analysis
        </Link>
        <Link class="button primary" href={`/analysis?again=${id}`}>
          Run again
        </Link>
      </PageHead>
      {answer.status === "WAITING" && <NotYet answer={answer} asked={asked} />}
      {answer.status === "SKIPPED" && <Notice kind="bad">{answer.message}. “Run again” fills in the form with this request.</Notice>}
      {answer.analysis && asked?.posts === 0 && (
        <div class="card" style={{ marginBottom: "1rem" }}>
          <Empty title="No posts were found">Try other keywords, more sources or other hours: “Run again” fills in the form.</Empty>
        </div>
      )}
      {answer.analysis && <Charts told={answer.analysis} file={`analysis-${id}`} sources={sources} />}
    </>
  );
}

const longest = 140; // characters of a title
const clipped = (text: string) => (text.length > longest ? `${text.slice(0, longest)}…` : text);

// Lead says what was asked, and how many posts there were.
function Lead({ request, asked, sources }: { request: AnalysisRequest; asked?: Analysis; sources: string[] }) {
  const names = request.sources.map((s) => sourceName(s, sources));
  const narrowed = [
    ["languages", request.languages] as const,
    ["places", request.locations] as const,
    ["gender", request.gender] as const,
  ].flatMap(([name, c]) => (c?.values.length ? [`${name}: ${c.type === "exclude" ? "not " : ""}${c.values.join(", ")}`] : []));
  return (
    <>
      <div>
        {asked?.posts !== null && asked?.posts !== undefined && <strong>{plural(asked.posts, "post")} · </strong>}
        {clock(request.startDate)} to {clock(request.endDate)}, {request.timezone}
      </div>
      <div class="small break">{[sources.every((s) => names.includes(s)) ? "all sources" : names.join(", "), ...narrowed].join(" · ")}</div>
      {request.keywords.length > longest && (
        <details>
          <summary>All keywords</summary>
          <p class="break">{request.keywords}</p>
        </details>
      )}
    </>
  );
}

// NotYet says how far a request is that has no answer yet.
function NotYet({ answer, asked }: { answer: AnalysisResult; asked?: Analysis }) {
  const due = asked?.due ?? (answer.retrieveAtMillis ? new Date(answer.retrieveAtMillis).toISOString() : null);
  return (
    <Notice kind="warn">
      The answer is not ready yet. This page shows it as soon as it is.
      {asked && asked.attempt > 0 && ` Attempt ${number(asked.attempt)} of ${attempts}.`}
      {due && ` The answer, or the next attempt, is due on ${moment(due)} (your time).`}
    </Notice>
  );
}
