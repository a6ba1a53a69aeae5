import { type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../lib/api";
import { typeNames } from "../lib/format";
import { useInterval, useLoad, type LoadState } from "../lib/load";
import { Link, useLocation } from "../lib/router";
import type { Monitor, MonitorProgress, Progress, ProgressState } from "../lib/types";
import { ApiLink } from "./apilink";
import { ErrorNotice, ProgressBar, PageHeader, Skeleton } from "./basics";
import { MonitorMenu } from "./monitormenu";
import { common } from "../strings/common";
import { label } from "../strings/label";
import { signals } from "../strings/signals";

// isBusy reports whether a monitor is matching or categorizing stored posts, or is about to.
export const isBusy = (p: Progress | null | undefined) => p?.state === "waiting" || p?.state === "running";

// useProgress returns the progress of a monitor's background work. While the monitor is busy, it
// polls every second. onDone runs when the work has finished; watch checks for new work.
export function useProgress(id: string, onDone?: () => void): { progress: MonitorProgress | undefined; watch: () => void } {
  const { data, reload } = useLoad(`progress ${id}`, () => get<MonitorProgress>(`/manage/v1/monitors/${id}/progress`), { keep: true });
  const [wasBusy, setWasBusy] = useState<boolean | null>(null);
  const busy = isBusy(data);
  if (data && busy !== wasBusy) {
    setWasBusy(busy);
    // Work that started within the last minute may have finished before the first response that
    // this page received.
    const ended = wasBusy ?? (data.state === "done" && !!data.startedAt && Date.now() - new Date(data.startedAt).getTime() < 60_000);
    if (!busy && ended) queueMicrotask(() => onDone?.());
  }
  useInterval(busy ? 1000 : 0, reload);
  return { progress: data, watch: reload };
}

// MonitorLayout is the common header of a monitor's pages: its name, its progress and tabs. The
// date range and the filter are kept when the user switches tabs. A page that starts background
// work calls watch.
export function MonitorLayout({ id, tools, children, onDone }: { id: string; tools?: ComponentChildren; children: (m: Monitor, loaded: LoadState<Monitor>, watch: () => void) => ComponentChildren; onDone?: () => void }) {
  const { path, query } = useLocation();
  const loaded = useLoad(`monitor ${id}`, () => get<Monitor>(`/manage/v1/monitors/${id}`), { keep: true });
  const { progress, watch } = useProgress(id, onDone);
  const m = loaded.data;
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (current) tabs.current!.scrollLeft = current.offsetLeft - tabs.current!.offsetLeft - 40; // a phone shows only some of them
  }, [path, Boolean(m)]);
  useEffect(() => {
    if (m) document.title = common.documentTitle(m.name);
  }, [m]);
  if (loaded.error && !m) {
    return (
      <>
        <PageHeader title={common.words.monitor} />
        <ErrorNotice error={loaded.error} retry={loaded.reload} />
      </>
    );
  }
  if (!m) return <Skeleton key="frame" height="20rem" />; // without a key it would become the one of the page, and move
  const params = new URLSearchParams();
  for (const name of ["range", "start", "end", "filter", "sub"]) if (query.get(name)) params.set(name, query.get(name)!);
  const tail = params.toString() ? `?${params}` : "";
  const pages = [
    { href: `/monitors/${id}`, name: common.pages.overview, key: "o" },
    { href: `/monitors/${id}/posts`, name: common.pages.posts, key: "p" },
    { href: `/monitors/${id}/pictures`, name: common.pages.pictures, key: "v" },
    { href: `/monitors/${id}/topics`, name: common.pages.topics, key: "t" },
    { href: `/monitors/${id}/why`, name: common.pages.why, key: "w" },
    ...(m.type === "SOCIAL" ? [{ href: `/monitors/${id}/account`, name: common.pages.account, key: "n" }] : []),
    ...(m.type === "OPINION" ? [{ href: `/monitors/${id}/train`, name: common.pages.train, key: "l" }] : []),
    ...(path === `/monitors/${id}/label` ? [{ href: path, name: label.title }] : []), // otherwise the menu has it
    { href: `/monitors/${id}/edit`, name: common.pages.settings, key: "e" },
  ];
  return (
    <>
      <PageHeader
        title={m.name}
        badge={
          <>
            <span class="badge accent">{typeNames[m.type] ?? m.type}</span>
            {!m.enabled && <span class="badge warn">{common.paused}</span>}
            <Firing id={m.id} signals={progress?.firing ?? 0} />
          </>
        }
        lead={m.description || undefined}
      >
        {tools}
        <ApiLink class="button not-phone" />
        <MonitorMenu
          m={m}
          onChanged={() => {
            loaded.reload();
            watch();
          }}
        />
      </PageHeader>
      {isBusy(progress) && <ProgressNotice progress={progress!} />}
      <nav class="tabs" ref={tabs} aria-label={common.monitorLayout.tabs}>
        {pages.map((p) => (
          <Link key={p.href} href={p.href + tail} data-key={"key" in p ? p.key : undefined} aria-current={path === p.href ? "page" : undefined}>
            {p.name}
          </Link>
        ))}
        <Link href={compareHref(id, query)}>{common.pages.compare}</Link>
      </nav>
      {children(m, loaded, watch)}
    </>
  );
}

// Firing links to the ongoing signals of a monitor, if there are any.
function Firing({ id, signals: count }: { id: number; signals: number }) {
  if (count === 0) return null;
  return (
    <Link class="badge warn" href={`/signals?monitor=${id}&state=firing`}>
      {signals.monitorFiring(count)}
    </Link>
  );
}

// compareHref returns the URL of the comparison page for what a page of a monitor shows.
function compareHref(id: string, query: URLSearchParams): string {
  const params = new URLSearchParams({ m: query.get("sub") || id });
  for (const name of ["range", "start", "end"]) if (query.get(name)) params.set(name, query.get(name)!);
  if (query.get("filter")) params.set("filter1", query.get("filter")!);
  return `/compare?${params}`;
}

// progressText describes what a monitor is doing: "Backfilling 43%".
export function progressText(p: Progress): string {
  const text = common.monitorLayout;
  const states: Partial<Record<ProgressState, string>> = { waiting: text.waiting, failed: text.failed };
  const state = states[p.state] ?? (/learn|train|sort|categor/i.test(p.message) ? text.training : text.backfilling);
  return p.state === "running" && p.total > 0 ? text.progress(state, Math.floor((p.done / p.total) * 100)) : state;
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
