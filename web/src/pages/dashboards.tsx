import { useState } from "preact/hooks";
import { listAll, remove } from "../lib/api";
import { timeAgo } from "../lib/format";
import { useLoad } from "../lib/load";
import { Link } from "../lib/router";
import { useUser } from "../lib/session";
import type { DashboardInfo } from "../lib/types";
import { EmptyState, ErrorNotice, PageHeader, Skeleton } from "../components/basics";
import { Confirm } from "../components/dialog";
import { Icon } from "../components/icon";
import { NoTeam } from "../components/noteam";
import { Popover } from "../components/popover";
import { toast } from "../components/toast";
import { duplicate, NewDashboard } from "./dashboards/create";
import { common } from "../strings/common";
import { dashboards as text } from "../strings/dashboards";

export { DashboardPage } from "./dashboards/page";

// DashboardsPage lists the dashboards, and creates, duplicates and deletes them.
export function DashboardsPage() {
  const user = useUser();
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<DashboardInfo | null>(null);
  const [search, setSearch] = useState("");
  const { data, error, reload } = useLoad("dashboards", () => listAll<DashboardInfo>("/manage/v1/dashboards"));
  const term = search.trim().toLowerCase();
  const shown = (data ?? []).filter((d) => d.name.toLowerCase().includes(term)).sort((a, b) => a.name.localeCompare(b.name));
  const create = (
    <button type="button" class="button primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {text.new}
    </button>
  );
  if (user.teams.length === 0) return <NoTeam>{text.lead}</NoTeam>;
  return (
    <>
      <PageHeader title={common.pages.dashboards} lead={text.lead}>
        {data && data.length > 0 && create}
      </PageHeader>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="12rem" label={text.loading} />}
      {data?.length === 0 && (
        <EmptyState title={text.empty} actions={create}>
          {text.emptyHint}
        </EmptyState>
      )}
      {data && data.length > 6 && (
        <div class="home-tools">
          <input type="search" aria-label={text.find} placeholder={text.find} value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
        </div>
      )}
      {data && data.length > 0 && shown.length === 0 && <EmptyState title={text.noMatch} />}
      <ul class="grid">
        {shown.map((d) => (
          <li key={d.id}>
            <DashboardCard d={d} team={user.teams.length > 1 ? user.teams.find((t) => t.id === d.team)?.name : undefined} onDelete={() => setDeleting(d)} />
          </li>
        ))}
      </ul>
      {creating && <NewDashboard onClose={() => setCreating(false)} />}
      {deleting && (
        <Confirm
          title={common.confirmDelete(deleting.name)}
          action={text.deleteAction}
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await remove(`/manage/v1/dashboards/${deleting.id}`);
            toast(common.deleted(deleting.name));
            reload();
          }}
        >
          {text.deleteText}
        </Confirm>
      )}
    </>
  );
}

function DashboardCard({ d, team, onDelete }: { d: DashboardInfo; team?: string; onDelete: () => void }) {
  return (
    <article class="card monitor-card">
      <div class="spread nowrap-row">
        <h2 class="break">
          <Link href={`/dashboards/${d.id}`}>{d.name}</Link>
        </h2>
        <Popover class="button quiet small" label={text.actions(d.name)} right button={<Icon name="more" />}>
          {(close) => (
            <div class="options">
              <button
                type="button"
                onClick={() => {
                  close();
                  void duplicate(d);
                }}
              >
                {text.duplicate}
              </button>
              <button
                type="button"
                onClick={() => {
                  close();
                  onDelete();
                }}
              >
                {common.actions.delete}…
              </button>
            </div>
          )}
        </Popover>
      </div>
      <p class="muted">
        {text.cards(d.cardCount)} · {common.dateRange.rolling[d.range]}
        {team && <> · {team}</>}
      </p>
      <p class="small muted">{text.edited(d.editedBy, timeAgo(d.edited))}</p>
    </article>
  );
}
