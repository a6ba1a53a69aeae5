import { type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../lib/api";
import { typeNames } from "../lib/format";
import { useInterval, useLoad, type LoadState } from "../lib/load";
import { Link, useLocation } from "../lib/router";
import type { Monitor, Progress, ProgressState } from "../lib/types";
import { common } from "../strings/common";
import { ApiLink } from "./apilink";
import { ErrorNotice, ProgressBar, PageHeader, Skeleton } from "./basics";

// isBusy reports whether stored posts are being matched or sorted for a monitor, or are about to be.
export const isBusy = (p: Progress | null | undefined) => p?.state === "waiting" || p?.state === "running";

// useProgress tells what a monitor is doing, while it does something every second.
export function useProgress(id: string, onDone?: () => void): { progress: Progress | undefined; watch: () => void } {
  const { data, reload } = useLoad(`progress ${id}`, () => get<Progress>(`/manage/v1/monitors/${id}/progress`));
  const [wasBusy, setWasBusy] = useState<boolean | null>(null);
  const busy = isBusy(data);
  if (data && busy !== wasBusy) {
    setWasBusy(busy);
    // What began a moment ago may have ended between the answers that this page has had.
    const ended = wasBusy ?? (data.state === "done" && !!data.startedAt && Date.now() - new Date(data.startedAt).getTime() < 60_000);
    if (!busy && ended) queueMicrotask(() => onDone?.());
  }
  useInterval(busy ? 1000 : 0, reload);
  return { progress: data, watch: reload };
}

// MonitorLayout is what all pages of a monitor have at the top: its name, what it is doing, and its other pages. The days and
// the filter stay when another one is chosen. A page that gives the monitor something to do calls watch.
export function MonitorLayout({ id, tools, children, onDone }: { id: string; tools?: ComponentChildren; children: (m: Monitor, loaded: LoadState<Monitor>, watch: () => void) => ComponentChildren; onDone?: () => void }) {
  const { path, query } = useLocation();
  const loaded = useLoad(`monitor ${id}`, () => get<Monitor>(`/manage/v1/monitors/${id}`));
  const { progress, watch } = useProgress(id, onDone);
  const m = loaded.data;
  useEffect(() => {
    if (m) document.title = `${m.name} · Earshot`;
  }, [m]);
  if (loaded.error && !m) {
    return (
      <>
        <PageHeader title="Monitor" />
        <ErrorNotice error={loaded.error} retry={loaded.reload} />
      </>
    );
  }
  if (!m) return <Skeleton height="20rem" />;
  const params = new URLSearchParams();
  for (const name of ["start", "end", "filter", "sub"]) if (query.get(name)) params.set(name, query.get(name)!);
  const tail = params.toString() ? `?${params}` : "";
  const pages = [
    { href: `/monitors/${id}`, name: "Overview" },
    { href: `/monitors/${id}/posts`, name: "Posts" },
    ...(m.type === "OPINION" ? [{ href: `/monitors/${id}/train`, name: common.pages.train }] : []),
    { href: `/monitors/${id}/edit`, name: "Settings" },
  ];
  return (
    <>
      <PageHeader
        title={m.name}
        badge={
          <>
            <span class="badge accent">{typeNames[m.type] ?? m.type}</span>
            {!m.enabled && <span class="badge warn">Paused</span>}
          </>
        }
        lead={m.description || undefined}
      >
        {tools}
        <ApiLink />
      </PageHeader>
      {isBusy(progress) && <ProgressNotice progress={progress!} />}
      <nav class="tabs" aria-label="Pages of this monitor">
        {pages.map((p) => (
          <Link key={p.href} href={p.href + tail} aria-current={path === p.href ? "page" : undefined}>
            {p.name}
          </Link>
        ))}
        <Link href={compareHref(id, query)}>Compare</Link>
      </nav>
      {children(m, loaded, watch)}
    </>
  );
}

// compareHref is the comparison of a monitor on the days that are looked at. A filter may be about this monitor alone and stays behind.
function compareHref(id: string, query: URLSearchParams): string {
  const days = query.get("start") && query.get("end") ? `&start=${query.get("start")}&end=${query.get("end")}` : "";
  return `/compare?m=${id}${days}`;
}

// progressText says what a monitor is doing: "Backfilling 43 %".
export function progressText(p: Progress): string {
  const name = ({ waiting: "Waiting", failed: "Failed, will be tried again" } as Partial<Record<ProgressState, string>>)[p.state] ?? (/learn|train|sort/i.test(p.message) ? "Learning" : "Backfilling");
  return p.state === "running" && p.total > 0 ? `${name} ${Math.floor((p.done / p.total) * 100)} %` : name;
}

export function ProgressNotice({ progress }: { progress: Progress }) {
  return (
    <div class="notice" role="status" style={{ marginBottom: "1rem" }}>
      <div class="stack tight">
        <span>
          {progressText(progress)}
          {progress.message && <span class="muted"> · {progress.message}</span>}
        </span>
        <ProgressBar share={progress.total ? progress.done / progress.total : 0} label={progressText(progress)} />
      </div>
    </div>
  );
}
