import { useState } from "preact/hooks";
import { remove } from "../lib/api";
import { useInterval, useLoad } from "../lib/load";
import { Link } from "../lib/router";
import { hasPermission, useUser } from "../lib/session";
import type { Monitor, Stream } from "../lib/types";
import { Card, EmptyState, ErrorNotice, PageHeader, Skeleton } from "../components/basics";
import { Confirm } from "../components/dialog";
import { Icon } from "../components/icon";
import { toast } from "../components/toast";
import { loadQueue, loadStreams } from "./streams/data";
import { EditStream } from "./streams/edit";
import { NoPermission } from "./streams/nopermission";
import { common } from "../strings/common";
import { streams } from "../strings/streams";

export { StreamPage } from "./streams/live";

// StreamsPage lists the streams, and creates, edits and deletes them.
export function StreamsPage() {
  const user = useUser();
  const allowed = hasPermission(user, "streams");
  const loaded = useLoad(allowed ? "streams" : null, loadStreams);
  const [edited, setEdited] = useState<Stream | "new" | null>(null);
  const [deleting, setDeleting] = useState<Stream | null>(null);
  if (!allowed) return <NoPermission />;
  const { data, error, reload } = loaded;
  const create = (
    <button type="button" class="button primary" disabled={!data} onClick={() => setEdited("new")}>
      <Icon name="plus" />
      {streams.newStream}
    </button>
  );
  return (
    <>
      <PageHeader title={common.pages.streams} lead={streams.lead}>
        {create}
      </PageHeader>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="12rem" />}
      {data && data.streams.length === 0 && (
        <EmptyState title={streams.emptyTitle} actions={create}>
          {streams.emptyText}
        </EmptyState>
      )}
      {data && (
        <ul class="grid" aria-label={common.pages.streams}>
          {data.streams.map((s) => (
            <li key={s.id}>
              <StreamCard stream={s} monitors={data.monitors} team={user.teams.length > 1 ? user.teams.find((t) => t.id === s.team)?.name : undefined} onEdit={() => setEdited(s)} onDelete={() => setDeleting(s)} />
            </li>
          ))}
        </ul>
      )}
      {data && edited && (
        <EditStream
          stream={edited === "new" ? undefined : edited}
          monitors={data.monitors}
          teams={user.teams}
          onClose={() => {
            setEdited(null);
            reload();
          }}
          onSaved={() => {
            toast(edited === "new" ? streams.created : common.saved);
            setEdited(null);
            reload();
          }}
        />
      )}
      {deleting && (
        <Confirm
          title={common.confirmDelete(deleting.name)}
          action={streams.deleteStream}
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await remove(`/manage/v1/streams/${deleting.id}`);
            toast(common.deleted(deleting.name));
            reload();
          }}
        >
          {streams.deleteText}
        </Confirm>
      )}
    </>
  );
}

interface CardProps {
  stream: Stream;
  monitors: Monitor[];
  team?: string; // set if the user belongs to several teams
  onEdit: () => void;
  onDelete: () => void;
}

function StreamCard({ stream, monitors, team, onEdit, onDelete }: CardProps) {
  const queue = useLoad(`queue ${stream.id}`, () => loadQueue(stream.id));
  useInterval(30_000, queue.reload);
  const names = stream.monitors.map((id) => monitors.find((m) => m.id === id)?.name ?? String(id));
  return (
    <Card class="fill" title={<Link href={`/streams/${stream.id}`}>{stream.name}</Link>} note={streams.since(team, stream.created.slice(0, 10))}>
      <div class="stack tight grow">
        <div>
          <span class="figure small">{queue.data === undefined ? "–" : streams.queue(queue.data.waiting)}</span>
          <span class="muted"> {streams.waiting}</span>
        </div>
        <p class="muted break">{names.length ? names.join(", ") : streams.noMonitors}</p>
      </div>
      <div class="row" style={{ marginTop: "0.75rem" }}>
        <Link class="button small" href={`/streams/${stream.id}`} aria-label={streams.watchLiveOf(stream.name)}>
          <Icon name="stream" />
          {streams.watchLive}
        </Link>
        <button type="button" class="button small" aria-label={common.editItem(stream.name)} onClick={onEdit}>
          {common.actions.edit}
        </button>
        <button type="button" class="button small quiet" aria-label={common.deleteItem(stream.name)} onClick={onDelete}>
          {common.actions.delete}
        </button>
      </div>
    </Card>
  );
}
