import { useState } from "preact/hooks";
import { remove } from "../lib/api";
import { day, plural } from "../lib/format";
import { useInterval, useLoad } from "../lib/load";
import { Link } from "../lib/router";
import { hasPermission, useUser } from "../lib/session";
import type { Monitor, Stream } from "../lib/types";
import { Card, EmptyState, ErrorNotice, PageHeader, Skeleton } from "../components/basics";
import { Confirm } from "../components/dialog";
import { Icon } from "../components/icon";
import { toast } from "../components/toast";
import { loadStreams, queueLength } from "./streams/data";
import { EditStream } from "./streams/edit";
import { lead, NoPermission } from "./streams/nopermission";

export { StreamPage } from "./streams/live";

// StreamsPage lists the streams, and makes, changes and deletes them.
export function StreamsPage() {
  const user = useUser();
  const allowed = hasPermission(user, "streams");
  const loaded = useLoad(allowed ? "streams" : null, loadStreams);
  const [edited, setEdited] = useState<Stream | "new" | null>(null);
  const [deleting, setDeleting] = useState<Stream | null>(null);
  if (!allowed) return <NoPermission />;
  const { data, error, reload } = loaded;
  const make = (
    <button type="button" class="button primary" disabled={!data} onClick={() => setEdited("new")}>
      <Icon name="plus" />
      New stream
    </button>
  );
  return (
    <>
      <PageHeader title="Streams" lead={lead}>
        {make}
      </PageHeader>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="12rem" />}
      {data && data.streams.length === 0 && (
        <EmptyState title="There is no stream yet" actions={make}>
          Make one and choose the monitors whose posts it hands out.
        </EmptyState>
      )}
      {data && (
        <ul class="grid" aria-label="Streams">
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
            toast(edited === "new" ? "The stream is there." : "Saved.");
            setEdited(null);
            reload();
          }}
        />
      )}
      {deleting && (
        <Confirm
          title={`Delete ${deleting.name}?`}
          action="Delete the stream"
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await remove(`/manage/v1/streams/${deleting.id}`);
            toast(`${deleting.name} is deleted.`);
            reload();
          }}
        >
          The posts that wait in it are deleted with it, and programs that read it get an error. Its monitors and their posts stay.
        </Confirm>
      )}
    </>
  );
}

interface CardProps {
  stream: Stream;
  monitors: Monitor[];
  team?: string; // shown where there are several
  onEdit: () => void;
  onDelete: () => void;
}

function StreamCard({ stream, monitors, team, onEdit, onDelete }: CardProps) {
  const queue = useLoad(`queue ${stream.id}`, () => queueLength(stream.id));
  useInterval(30_000, queue.reload);
  const names = stream.monitors.map((id) => monitors.find((m) => m.id === id)?.name ?? String(id));
  return (
    <Card class="fill" title={<Link href={`/streams/${stream.id}`}>{stream.name}</Link>} note={`${team ? `${team} · ` : ""}since ${day(stream.created.slice(0, 10))}`}>
      <div class="stack tight grow">
        <div>
          <span class="figure small">{queue.data === undefined ? "–" : plural(queue.data, "post")}</span>
          <span class="muted"> waiting</span>
        </div>
        <p class="muted break">{names.length ? names.join(", ") : "No monitors yet: nothing comes in. Edit the stream to choose some."}</p>
      </div>
      <div class="row" style={{ marginTop: "0.75rem" }}>
        <Link class="button small" href={`/streams/${stream.id}`} aria-label={`Watch live: ${stream.name}`}>
          <Icon name="stream" />
          Watch live
        </Link>
        <button type="button" class="button small" aria-label={`Edit ${stream.name}`} onClick={onEdit}>
          Edit
        </button>
        <button type="button" class="button small quiet" aria-label={`Delete ${stream.name}`} onClick={onDelete}>
          Delete
        </button>
      </div>
    </Card>
  );
}
