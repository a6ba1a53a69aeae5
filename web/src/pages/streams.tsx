import { useState } from "preact/hooks";
import { remove } from "../lib/api";
import { day, plural } from "../lib/format";
import { useEvery, useLoad } from "../lib/load";
import { Link } from "../lib/router";
import { may, useUser } from "../lib/session";
import type { Monitor, Stream } from "../lib/types";
import { Card, Empty, Failed, PageHead, Waiting } from "../parts/basics";
import { Confirm } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { toast } from "../parts/toast";
import { loadStreams, waiting } from "./streams/data";
import { EditStream } from "./streams/edit";
import { lead, NotAllowed } from "./streams/notallowed";

export { StreamPage } from "./streams/live";

// StreamsPage lists the streams, and makes, changes and deletes them.
export function StreamsPage() {
  const user = useUser();
  const allowed = may(user, "streams");
  const loaded = useLoad(allowed ? "streams" : null, loadStreams);
  const [edited, setEdited] = useState<Stream | "new" | null>(null);
  const [doomed, setDoomed] = useState<Stream | null>(null);
  if (!allowed) return <NotAllowed />;
  const { data, error, reload } = loaded;
  const make = (
    <button type="button" class="button primary" disabled={!data} onClick={() => setEdited("new")}>
      <Icon name="plus" />
      New stream
    </button>
  );
  return (
    <>
      <PageHead title="Streams" lead={lead}>
        {make}
      </PageHead>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Waiting height="12rem" />}
      {data && data.streams.length === 0 && (
        <Empty title="There is no stream yet" actions={make}>
          Make one and choose the monitors whose posts it hands out.
        </Empty>
      )}
      {data && (
        <ul class="grid" aria-label="Streams">
          {data.streams.map((s) => (
            <li key={s.id}>
              <StreamCard stream={s} monitors={data.monitors} team={user.teams.length > 1 ? user.teams.find((t) => t.id === s.team)?.name : undefined} onEdit={() => setEdited(s)} onDelete={() => setDoomed(s)} />
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
      {doomed && (
        <Confirm
          title={`Delete ${doomed.name}?`}
          action="Delete the stream"
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await remove(`/manage/v1/streams/${doomed.id}`);
            toast(`${doomed.name} is deleted.`);
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
  const queue = useLoad(`queue ${stream.id}`, () => waiting(stream.id));
  useEvery(30_000, queue.reload);
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
