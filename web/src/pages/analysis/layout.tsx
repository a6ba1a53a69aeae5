import { type ComponentChildren } from "preact";
import { choices } from "../../lib/choices";
import { dateTime } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import { Link, useLocation } from "../../lib/router";
import { useUser } from "../../lib/session";
import type { AnalysisDetail, AnalysisRequest, AnalysisResult, ChoicesResponse } from "../../lib/types";
import { ErrorNotice, Notice, PageHeader, Skeleton } from "../../components/basics";
import { analysis as text } from "../../strings/analysis";
import { common } from "../../strings/common";
import { loadAnalysis, loadResult, stateTones } from "./load";
import { sourceName } from "./request";

const attempts = 6; // the server gives up after this many

// A LoadedResult is what the pages of a result show.
export interface LoadedResult {
  id: string;
  result: AnalysisResult;
  analysis: AnalysisDetail;
  choices: ChoicesResponse;
}

// ResultLayout has the header of the pages of an analysis. It polls until the result is ready.
export function ResultLayout({ id, children }: { id: string; children: (loaded: LoadedResult) => ComponentChildren }) {
  const { path } = useLocation();
  const { teams } = useUser();
  const { data, error, reload } = useLoad(`result ${id}`, async () => {
    const [result, analysis, all] = await Promise.all([loadResult(id), loadAnalysis(id), choices()]);
    return { id, result, analysis, choices: all };
  });
  useInterval(data?.result.status === "WAITING" ? 2000 : 0, reload);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="20rem" />;
  const { result, analysis } = data;
  const tabs = [
    { href: `/analysis/${id}`, name: text.resultsTab },
    { href: `/analysis/${id}/posts`, name: common.pages.posts },
  ];
  return (
    <>
      <PageHeader
        title={clipped(result.request.keywords)}
        badge={<span class={`badge ${stateTones[result.status]}`}>{text.states[result.status]}</span>}
        lead={<Lead request={result.request} analysis={analysis} sources={data.choices.sources} />}
      >
        <Link class="button" href="/analysis">
          {text.newAnalysis}
        </Link>
        <Link class="button" href={`/analysis?again=${id}`}>
          {text.runAgain}
        </Link>
        {teams.length > 0 && (
          <Link class="button primary" href={`/monitors/new?analysis=${id}`} title={text.createMonitorHint}>
            {text.createMonitor}
          </Link>
        )}
      </PageHeader>
      {result.status === "WAITING" && <Pending analysis={analysis} />}
      {result.status === "SKIPPED" && <Notice kind="bad">{text.skipped(result.message ?? "")}</Notice>}
      {result.analysis && (
        <>
          <nav class="tabs" aria-label={text.tabs}>
            {tabs.map((t) => (
              <Link key={t.href} href={t.href} aria-current={path === t.href ? "page" : undefined}>
                {t.name}
              </Link>
            ))}
          </nav>
          {children(data)}
        </>
      )}
    </>
  );
}

const maxTitleLength = 140; // characters
const clipped = (title: string) => (title.length > maxTitleLength ? `${title.slice(0, maxTitleLength)}…` : title);

// Lead shows the number of posts and the request.
function Lead({ request, analysis, sources }: { request: AnalysisRequest; analysis: AnalysisDetail; sources: string[] }) {
  const names = request.sources.map((s) => sourceName(s, sources));
  const refinements = [
    [common.words.languages, request.languages] as const,
    [common.words.locations, request.locations] as const,
    [common.words.gender, request.gender] as const,
  ].flatMap(([name, c]) => (c?.values.length ? [text.refinement(name, c.type === "exclude", c.values)] : []));
  return (
    <>
      <div>
        {analysis.posts !== null && <strong>{text.posts(analysis.posts)}</strong>}
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
function Pending({ analysis }: { analysis: AnalysisDetail }) {
  return (
    <Notice kind="warn">
      {text.notReady}
      {analysis.attempt > 0 && text.attempt(analysis.attempt, attempts)}
      {analysis.due && text.due(dateTime(analysis.due))}
    </Notice>
  );
}
