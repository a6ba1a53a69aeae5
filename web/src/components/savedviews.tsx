import { useState } from "preact/hooks";
import { listAll, patch, post, remove } from "../lib/api";
import { useLoad } from "../lib/load";
import { Link, sameOriginPath } from "../lib/router";
import { useUser } from "../lib/session";
import type { SavedView } from "../lib/types";
import { ErrorNotice, SelectField, Skeleton, TextField } from "./basics";
import { Confirm, Dialog } from "./dialog";
import { FormDialog } from "./form";
import { NamedRow } from "./namedrow";
import { toast } from "./toast";
import { common } from "../strings/common";
import { views as text } from "../strings/marks";

// loadViews returns the saved views of the user's teams, or of a monitor, by name.
export async function loadViews(monitor?: number): Promise<SavedView[]> {
  return (await listAll<SavedView>("/manage/v1/views", { monitor })).sort((a, b) => a.name.localeCompare(b.name));
}

// SaveViewDialog saves the page that is shown, with its dates and its filter.
export function SaveViewDialog({ onClose }: { onClose: () => void }) {
  const user = useUser();
  const [name, setName] = useState("");
  const [team, setTeam] = useState(String(user.teams[0]?.id ?? ""));
  const [path] = useState(() => window.location.pathname + window.location.search);
  const ofMonitor = /^\/monitors\/\d+/.test(path); // which determines the team
  const save = async () => {
    await post<SavedView>("/manage/v1/views", { name: name.trim(), path, team: ofMonitor ? undefined : Number(team) });
    toast(text.saved);
  };
  return (
    <FormDialog title={text.saveTitle} action={common.actions.save} ready={name.trim() !== ""} onSubmit={save} onClose={onClose}>
      <TextField label={text.name} value={name} onInput={setName} hint={text.nameHint} required />
      {!ofMonitor && user.teams.length > 1 && <SelectField label={common.words.team} value={team} onChange={setTeam} options={user.teams.map((t) => ({ value: String(t.id), name: t.name }))} />}
    </FormDialog>
  );
}

// ViewsDialog lists the saved views, and renames and deletes them.
export function ViewsDialog({ monitor, onClose, onChanged }: { monitor?: number; onClose: () => void; onChanged?: () => void }) {
  const { data, error, reload } = useLoad(`views of ${monitor}`, () => loadViews(monitor));
  const [removing, setRemoving] = useState<SavedView | null>(null);
  const changed = () => {
    reload();
    onChanged?.();
  };
  const pathOf = (v: SavedView) => `/manage/v1/views/${v.id}`;
  return (
    <Dialog title={text.title} onClose={onClose}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="6rem" />}
      {data?.length === 0 && <p class="muted">{text.none}</p>}
      <ul class="rows">
        {data?.map((v) => (
          <NamedRow
            key={v.id}
            name={v.name}
            label={text.newName(v.name)}
            renameLabel={text.rename(v.name)}
            maxLength={100}
            onRename={async (name) => {
              await patch(pathOf(v), { name });
              changed();
            }}
            onRemove={() => setRemoving(v)}
          >
            <Link class="break" href={sameOriginPath(v.path)} onClick={onClose}>
              {v.name}
            </Link>
          </NamedRow>
        ))}
      </ul>
      {removing && (
        <Confirm
          title={text.confirmDelete(removing.name)}
          action={common.actions.delete}
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            await remove(pathOf(removing));
            changed();
          }}
        >
          {text.deleteNote}
        </Confirm>
      )}
    </Dialog>
  );
}
