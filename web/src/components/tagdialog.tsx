import { useState } from "preact/hooks";
import { get, patch, remove } from "../lib/api";
import { reloadAll, useLoad } from "../lib/load";
import { clearTags } from "../lib/members";
import type { Page, Tag } from "../lib/types";
import { ErrorNotice, Skeleton } from "./basics";
import { Confirm, Dialog } from "./dialog";
import { NamedRow } from "./namedrow";
import { toast } from "./toast";
import { tags as text } from "../strings/marks";
import { common } from "../strings/common";

// TagDialog lists the tags of a team, and renames and deletes them.
export function TagDialog({ team, onClose }: { team: number; onClose: () => void }) {
  const path = `/manage/v1/teams/${team}/tags`;
  const { data, error, reload } = useLoad(`tags of ${team}`, () => get<Page<Tag>>(path));
  const [removing, setRemoving] = useState<Tag | null>(null);
  const pathOf = (t: Tag) => `${path}/${encodeURIComponent(t.name)}`;
  const changed = (message: string) => {
    clearTags();
    toast(message);
    reload();
    reloadAll();
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      <div class="stack">
        <p class="muted small">{text.lead}</p>
        {error && <ErrorNotice error={error} retry={reload} />}
        {!data && !error && <Skeleton height="6rem" />}
        {data?.items.length === 0 && <p>{text.none}</p>}
        <ul class="rows">
          {data?.items.map((t) => (
            <NamedRow
              key={t.name}
              name={t.name}
              label={text.name(t.name)}
              renameLabel={text.rename(t.name)}
              maxLength={50}
              onRename={async (name) => {
                await patch(pathOf(t), { name });
                changed(text.renamed(t.name, name));
              }}
              onRemove={() => setRemoving(t)}
            >
              <span class="break">{t.name}</span> <span class="muted small num">{text.posts(t.posts)}</span>
            </NamedRow>
          ))}
        </ul>
      </div>
      {removing && (
        <Confirm
          title={text.confirmDelete(removing.name)}
          action={common.actions.delete}
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            await remove(pathOf(removing));
            changed(text.deleted(removing.name));
          }}
        >
          {text.deleteNote(removing.posts)}
        </Confirm>
      )}
    </Dialog>
  );
}
