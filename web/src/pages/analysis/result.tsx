import { choices } from "../../lib/choices";
import { localDateTime, dateTime, number, plural } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Analysis, AnalysisRequest, AnalysisResult } from "../../lib/types";
import { EmptyState, ErrorNotice, Notice, PageHeader, Skeleton } from "../../components/basics";
import { loadResult, loadAnalysis, stateNames, stateTones } from "./load";
import { Charts } from "./charts";
import { sourceName } from "./request";

const attempts = 6; // after which a request is given up

// ResultPage shows the answer to an analysis request, and waits for it where there is none yet.
export function ResultPage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(`result ${id}`, async () => {
    const [result, analysis, all] = await Promise.all([loadResult(id), loadAnalysis(id).catch(() => undefined), choices()]);
    return { result, analysis, sources: all.sources };
  });
  useInterval(data?.result.status === "WAITING" ? 2000 : 0, reload);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="20rem" />;
  const { result, analysis, sources } = data;
  return (
    <>
      <PageHeader
        title={clipped(result.request.keywords)}
        badge={<span class={`badge ${stateTones[result.status]}`}>{stateNames[result.status]}</span>}
        lead={<Lead request={result.request} analysis={analysis} sources={sources} />}
      >
        <Link class="button" href="/analysis">
          New analysis
        </Link>
        <Link class="button primary" href={`/analysis?again=${id}`}>
          Run again
        </Link>
      </PageHeader>
      {result.status === "WAITING" && <Pending result={result} analysis={analysis} />}
      {result.status === "SKIPPED" && <Notice kind="bad">{result.message}. “Run again” fills in the form with this request.</Notice>}
      {result.analysis && analysis?.posts === 0 && (
        <div class="card" style={{ marginBottom: "1rem" }}>
          <EmptyState title="No posts were found">Try other keywords, more sources or other hours: “Run again” fills in the form.</EmptyState>
        </div>
      )}
      {result.analysis && <Charts results={result.analysis} file={`analysis-${id}`} sources={sources} />}
    </>
  );
}

const maxTitleLength = 140; // characters of a title
const clipped = (text: string) => (text.length > maxTitleLength ? `${text.slice(0, maxTitleLength)}…` : text);

// Lead says what was asked, and how many posts there were.
function Lead({ request, analysis, sources }: { request: AnalysisRequest; analysis?: Analysis; sources: string[] }) {
  const names = request.sources.map((s) => sourceName(s, sources));
  const refinements = [
    ["languages", request.languages] as const,
    ["places", request.locations] as const,
    ["gender", request.gender] as const,
  ].flatMap(([name, c]) => (c?.values.length ? [`${name}: ${c.type === "exclude" ? "not " : ""}${c.values.join(", ")}`] : []));
  return (
    <>
      <div>
        {analysis?.posts !== null && analysis?.posts !== undefined && <strong>{plural(analysis.posts, "post")} · </strong>}
        {localDateTime(request.startDate)} to {localDateTime(request.endDate)}, {request.timezone}
      </div>
      <div class="small break">{[sources.every((s) => names.includes(s)) ? "all sources" : names.join(", "), ...refinements].join(" · ")}</div>
      {request.keywords.length > maxTitleLength && (
        <details>
          <summary>All keywords</summary>
          <p class="break">{request.keywords}</p>
        </details>
      )}
    </>
  );
}

// Pending says how far a request is that has no answer yet.
function Pending({ result, analysis }: { result: AnalysisResult; analysis?: Analysis }) {
  const due = analysis?.due ?? (result.retrieveAtMillis ? new Date(result.retrieveAtMillis).toISOString() : null);
  return (
    <Notice kind="warn">
      The answer is not ready yet. This page shows it as soon as it is.
      {analysis && analysis.attempt > 0 && ` Attempt ${number(analysis.attempt)} of ${attempts}.`}
      {due && ` The answer, or the next attempt, is due on ${dateTime(due)} (your time).`}
    </Notice>
  );
}
