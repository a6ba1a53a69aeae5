import { useState } from "preact/hooks";
import { listAll, remove } from "../../lib/api";
import { day } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { FeedLink } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { FeedDialog } from "../../components/feeddialog";
import { Icon } from "../../components/icon";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { reports } from "../../strings/reports";

const text = reports.feeds;

// Feeds lists the feeds of the user's teams, creates and revokes them.
export function Feeds({ team }: { team?: number }) {
  const { data, error, reload } = useLoad(`feeds ${team ?? ""}`, async () => (await listAll<FeedLink>("/manage/v1/feeds", { team })).reverse());
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<FeedLink>();
  return (
    <Card
      title={text.title}
      note={text.note}
      tools={
        <button type="button" class="button small" onClick={() => setCreating(true)}>
          <Icon name="plus" />
          {text.new}
        </button>
      }
    >
      {error && !data && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="4rem" />}
      {data && data.length === 0 && <p class="muted">{text.empty}</p>}
      {data && data.length > 0 && (
        <Rows head={[text.columns.name, text.columns.contents, text.columns.created, <span class="sr">{text.columns.actions}</span>]} label={text.list} stacked>
          {data.map((f) => (
            <tr key={f.id}>
              <td class="break">
                <strong>{f.name}</strong>
              </td>
              <td class="break">
                {contentsOf(f)}
                {f.filter && <span class="small muted"> · {text.filtered}</span>}
              </td>
              <td>{text.by(f.createdBy, day(f.created.slice(0, 10)))}</td>
              <td class="right">
                <button type="button" class="button small danger" aria-label={text.revokeOf(f.name)} onClick={() => setRevoking(f)}>
                  {text.revoke}
                </button>
              </td>
            </tr>
          ))}
        </Rows>
      )}
      {creating && <FeedDialog start={{ team }} onClose={() => setCreating(false)} onCreated={reload} />}
      {revoking && (
        <Confirm
          title={text.revokeTitle(revoking.name)}
          action={text.revoke}
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await remove(`/manage/v1/feeds/${revoking.id}`);
            toast(text.revoked);
            reload();
          }}
        >
          {text.revokeText}
        </Confirm>
      )}
    </Card>
  );
}

// contentsOf says what a feed contains: "Posts of Coffee".
function contentsOf(f: FeedLink): string {
  if (f.kind === "posts") return text.posts(f.target);
  return f.monitor ? text.signals(f.target) : text.allSignals;
}
