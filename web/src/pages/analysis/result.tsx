import { choices } from "../../lib/choices";
import { dateTime } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Analysis, AnalysisRequest, AnalysisResult } from "../../lib/types";
import { EmptyState, ErrorNotice, Notice, PageHeader, Skeleton } from "../../components/basics";
import { analysis as text } from "../../strings/analysis";
import { common } from "../../strings/common";
import { loadResult, loadAnalysis, stateTones } from "./load";
import { Charts } from "./charts";
import { sourceName } from "./request";

const attempts = 6; // the server gives up after this many

// ResultPage shows the result of an analysis, and polls for it until it is ready.
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
        badge={<span class={`badge ${stateTones[result.status]}`}>{text.states[result.status]}</span>}
        lead={<Lead request={result.request} analysis={analysis} sources={sources} />}
      >
        <Link class="button" href="/analysis">
          {text.newAnalysis}
        </Link>
        <Link class="button primary" href={`/analysis?again=${id}`}>
          {text.runAgain}
        </Link>
      </PageHeader>
      {result.status === "WAITING" && <Pending result={result} analysis={analysis} />}
      {result.status === "SKIPPED" && <Notice kind="bad">{text.skipped(result.message ?? "")}</Notice>}
      {result.analysis && analysis?.posts === 0 && (
        <div class="card" style={{ marginBottom: "1rem" }}>
          <EmptyState title={text.noPostsTitle}>{text.noPostsText}</EmptyState>
        </div>
      )}
      {result.analysis && <Charts results={result.analysis} file={`analysis-${id}`} sources={sources} />}
    </>
  );
}

const maxTitleLength = 140; // characters
const clipped = (title: string) => (title.length > maxTitleLength ? `${title.slice(0, maxTitleLength)}…` : title);

// Lead shows the number of posts and the request.
function Lead({ request, analysis, sources }: { request: AnalysisRequest; analysis?: Analysis; sources: string[] }) {
  const names = request.sources.map((s) => sourceName(s, sources));
  const refinements = [
    [common.words.languages, request.languages] as const,
    [common.words.locations, request.locations] as const,
    [common.words.gender, request.gender] as const,
  ].flatMap(([name, c]) => (c?.values.length ? [text.refinement(name, c.type === "exclude", c.values)] : []));
  return (
    <>
      <div>
        {analysis?.posts !== null && analysis?.posts !== undefined && <strong>{text.posts(analysis.posts)}</strong>}
        {text.timeRange(request.startDate, request.endDate, request.timezone)}
      </div>
      <div class="small break">{[sources.every((s) => names.includes(s)) ? text.allSources : names.join(", "), ...refinements].join(" · ")}</div>
      {request.keywords.length > maxTitleLength && (
        <details>
          <summary>{text.allKeywords}</summary>
          <p class="break">{request.keywords}</p>
        </details>
      )}
    </>
  );
}

// Pending shows the progress of a request that has no result yet.
function Pending({ result, analysis }: { result: AnalysisResult; analysis?: Analysis }) {
  const due = analysis?.due ?? (result.retrieveAtMillis ? new Date(result.retrieveAtMillis).toISOString() : null);
  return (
    <Notice kind="warn">
      {text.notReady}
      {analysis && analysis.attempt > 0 && text.attempt(analysis.attempt, attempts)}
      {due && text.due(dateTime(due))}
    </Notice>
  );
}
