import { useState } from "preact/hooks";
import { get, urlOf } from "../lib/api";
import { localDateTime } from "../lib/format";
import { claimHref, incidentHref, shortTitle } from "../lib/incidents";
import { useLoad } from "../lib/load";
import { Link } from "../lib/router";
import type { Incident, MonitorSummary } from "../lib/types";
import { Card, ErrorNotice, Skeleton } from "./basics";
import { SeverityBadge } from "./signals";
import { incidents as text } from "../strings/incidents";

export interface SummaryQuery {
  range?: string;
  start?: string;
  end?: string;
  filter?: string;
}

// useSummary loads what happened in a period, or nothing if the query is null.
export function useSummary(target: string, query: SummaryQuery | null) {
  const path = `/manage/v1/monitors/${target}/summary`;
  return useLoad(query && urlOf(path, { ...query }), (signal) => get<MonitorSummary>(path, { ...query }, signal));
}

interface PageProps {
  id: string; // of the monitor whose page it is
  sub: string;
  filter: string;
}

// Sentences shows a summary. Its claims link to what proves them.
export function Sentences({ s, id, sub }: { s: MonitorSummary; id: string; sub: string }) {
  return (
    <p class="happened">
      {s.sentences.map((sentence, i) => (
        <span key={i}>
          {i > 0 && " "}
          {sentence.parts.map((p, k) =>
            p.claim ? (
              <Link key={k} href={claimHref(id, sub, s.timezone, p.claim.link)}>
                {p.text}
              </Link>
            ) : (
              p.text
            ),
          )}
        </span>
      ))}
    </p>
  );
}

// Happened says on a page of a monitor what happened, and links to the incidents.
export function Happened({ loaded, ...page }: PageProps & { loaded: ReturnType<typeof useSummary> }) {
  const { data, error, reload, loading } = loaded;
  return (
    <Card label={text.happened} class={`happened-card ${loading ? "stale" : ""}`}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="var(--happened)" label={text.loading} />}
      {data && <Sentences s={data} id={page.id} sub={page.sub} />}
      {data && data.incidents.length > 1 && <IncidentChips list={data.incidents} {...page} />}
    </Card>
  );
}

const shownChips = 4;

// IncidentChips links to incidents of a monitor, newest first.
function IncidentChips({ list, id, sub, filter }: PageProps & { list: Incident[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? list : list.slice(0, shownChips);
  return (
    <ul class="row incident-chips" aria-label={text.title}>
      {shown.map((i) => (
        <li key={i.from}>
          <Link class={`badge ${badges[i.severity]}`} href={incidentHref(i, id, filter, sub)}>
            {shortTitle(i)}
          </Link>
        </li>
      ))}
      {shown.length < list.length && (
        <li>
          <button type="button" class="linklike small" onClick={() => setAll(true)}>
            {text.more(list.length - shown.length)}
          </button>
        </li>
      )}
    </ul>
  );
}

const badges: Record<Incident["severity"], string> = { critical: "bad", warning: "warn", info: "" };

// IncidentList lists incidents, newest first. Without links, it is for visitors.
export function IncidentList({ list, limit, linked = true }: { list: Incident[]; limit?: number; linked?: boolean }) {
  const [all, setAll] = useState(false);
  const shown = all || !limit ? list : list.slice(0, limit);
  return (
    <>
      <ul class="incidents" aria-label={text.title}>
        {shown.map((i) => (
          <li key={`${i.monitor.id} ${i.from} ${i.metric}`}>
            <SeverityBadge severity={i.severity} />
            <div>
              <strong class="break">{linked ? <Link href={incidentHref(i)}>{i.title}</Link> : i.title}</strong>
              <p class="small muted row">
                <span>{i.ongoing ? text.ongoing : whenOf(i)}</span>
                {i.monitors.length > 0 && <span>{text.alsoIn(i.monitors.map((m) => m.name))}</span>}
                {linked && i.signals.length > 0 && <Link href={i.signals.length === 1 ? `/signals/${i.signals[0]}` : `/signals?monitor=${i.monitor.id}&days=365`}>{text.signals(i.signals.length)}</Link>}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {shown.length < list.length && (
        <button type="button" class="button small" onClick={() => setAll(true)}>
          {text.more(list.length - shown.length)}
        </button>
      )}
    </>
  );
}

// whenOf returns the hours of an incident in the time zone of its monitor.
const whenOf = (i: Incident) => `${localDateTime(i.from.slice(0, 16))} – ${localDateTime(i.to.slice(0, 16))}`;
