import { listAll } from "../lib/api";
import { dateTime } from "../lib/format";
import { useInterval, useLoad } from "../lib/load";
import { Link, navigate, useQuery } from "../lib/router";
import { useUser } from "../lib/session";
import type { ScheduledReport } from "../lib/types";
import { isRolling } from "../lib/view";
import { EmptyState, ErrorNotice, SelectField, Skeleton } from "../components/basics";
import { titleOf } from "../components/cards/card";
import { Icon } from "../components/icon";
import { toast } from "../components/toast";
import { Feeds } from "./reports/feeds";
import { newDraft, ReportDialog, type Draft } from "./reports/form";
import { LastRun } from "./reports/runs";
import { SignalsLayout } from "./signals/layout";
import { common } from "../strings/common";
import { reports as text } from "../strings/reports";

export { ReportPage } from "./reports/page";

const refresh = 10_000; // milliseconds

// ReportsPage lists scheduled reports and feeds. ?new=1 opens the form of a new report, filled in with
// the other parameters of the URL.
export function ReportsPage() {
  const { teams } = useUser();
  const [query, change] = useQuery();
  const team = teams.find((t) => String(t.id) === query.get("team"));
  const { data, error, reload } = useLoad(`reports ${team?.id ?? ""}`, () => listAll<ScheduledReport>("/manage/v1/reports", { team: team?.id }));
  useInterval(refresh, reload);
  const add = (
    <button type="button" class="button primary" onClick={() => change({ new: "1" })}>
      <Icon name="plus" />
      {text.new}
    </button>
  );
  return (
    <SignalsLayout
      title={text.title}
      lead={text.lead}
      tools={
        <>
          {teams.length > 1 && (
            <SelectField label={common.words.team} value={team ? String(team.id) : ""} onChange={(id) => change({ team: id })} options={[{ value: "", name: common.allTeams }, ...teams.map((t) => ({ value: String(t.id), name: t.name }))]} />
          )}
          {(!data || data.length > 0) && add}
        </>
      }
    >
      <div class="stack">
        {error && !data && <ErrorNotice error={error} retry={reload} />}
        {!data && !error && <Skeleton height="12rem" label={text.loading} />}
        {data && data.length === 0 && (
          <EmptyState title={text.empty} actions={add}>
            {text.emptyHint}
          </EmptyState>
        )}
        {data && data.length > 0 && (
          <ul class="sources" aria-label={text.list}>
            {data.map((r) => (
              <li key={r.id}>
                <ReportRow report={r} />
              </li>
            ))}
          </ul>
        )}
        {(data || error) && <Feeds team={team?.id} />}
      </div>
      {query.get("new") === "1" && (
        <ReportDialog
          start={prefilled(query, team?.id ?? teams[0].id)}
          onClose={() => change({ new: null, monitor: null, dashboard: null, filter: null, range: null }, { replace: true })}
          onSaved={(r) => {
            toast(text.created(r.name));
            navigate(`/signals/reports/${r.id}`);
          }}
        />
      )}
    </SignalsLayout>
  );
}

// prefilled returns a new report with what the URL says.
function prefilled(query: URLSearchParams, team: number): Draft {
  const draft = newDraft(team);
  const id = (name: string) => (/^\d+$/.test(query.get(name) ?? "") ? [Number(query.get(name))] : []);
  const range = query.get("range");
  return { ...draft, monitors: id("monitor"), dashboards: id("dashboard"), filter: query.get("filter") ?? "", range: isRolling(range) ? range : draft.range };
}

// ReportRow summarizes a report.
function ReportRow({ report: r }: { report: ScheduledReport }) {
  return (
    <article class="card report-row">
      <span class="kind-icon" aria-hidden="true">
        <Icon name="calendar" />
      </span>
      <div>
        <h2 class="break">
          <Link href={`/signals/reports/${r.id}`}>{r.name}</Link>
        </h2>
        <p class="small muted break">{partsOf(r)}</p>
      </div>
      <div>
        <p>{r.schedule}</p>
        {r.disabled ? <span class="badge warn">{text.paused}</span> : <p class="small muted">{r.next[0] ? text.nextAt(dateTime(r.next[0], r.timezone)) : text.noNext}</p>}
      </div>
      <div class="report-channels small">{r.channels.length ? r.channels.map((c) => c.name).join(", ") : <span class="bad">{text.noChannels}</span>}</div>
      <div class="report-last">
        <LastRun report={r} />
      </div>
    </article>
  );
}

const shownParts = 3;

// partsOf names what a report is about.
export function partsOf(r: ScheduledReport): string {
  const names = [...[...r.monitors, ...r.dashboards].map((p) => p.name || text.removedPart), ...r.cards.map(titleOf)];
  return text.parts(names.slice(0, shownParts), Math.max(0, names.length - shownParts));
}
