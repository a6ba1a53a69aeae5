import { useState } from "preact/hooks";
import { post, remove } from "../../lib/api";
import { number, plural } from "../../lib/format";
import type { ListedContentSource, SessionTeam } from "../../lib/types";
import { Card, TextField } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { FormDialog } from "../../components/form";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { forget } from "./history";

// Sources is the list of a team's content sources.
export function Sources({ sources, usage, onChanged }: { sources: ListedContentSource[]; usage?: string; onChanged: () => void }) {
  const [deleting, setDeleting] = useState<ListedContentSource | null>(null);
  return (
    <Card title="Content sources" note={usage}>
      <Rows label="List of content sources" head={["Name", "Documents", <span class="sr">Actions</span>]}>
        {sources.map((s) => (
          <tr key={s.id}>
            <td class="break">
              {s.name}
              {s.description && <div class="muted small">{s.description}</div>}
            </td>
            <td>{number(s.documents)}</td>
            <td class="right">
              <button type="button" class="button quiet small" aria-label={`Delete ${s.name}`} onClick={() => setDeleting(s)}>
                Delete
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      {deleting && <DeleteSource source={deleting} onClose={() => setDeleting(null)} onDeleted={onChanged} />}
    </Card>
  );
}

function DeleteSource({ source, onClose, onDeleted }: { source: ListedContentSource; onClose: () => void; onDeleted: () => void }) {
  const confirm = async () => {
    await remove("/api/content/sources", { documentType: source.id });
    forget((r) => r.source === source.id);
    toast(`${source.name} is deleted.`);
    onDeleted();
  };
  return (
    <Confirm title={`Delete ${source.name}?`} action={source.documents ? `Delete it and ${plural(source.documents, "document")}` : "Delete it"} onConfirm={confirm} onClose={onClose}>
      {source.documents ? `${plural(source.documents, "document goes", "documents go")} with it, also from the monitors that found them.` : "It has no documents."} This cannot be undone.
    </Confirm>
  );
}

// NewSource asks for the name of a content source.
export function NewSource({ team, onClose, onAdded }: { team: SessionTeam; onClose: () => void; onAdded: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const create = async () => {
    await post("/api/content/sources", { teamid: team.id, name: name.trim(), description: description.trim() });
    onAdded();
  };
  return (
    <FormDialog title="New content source" action="Create" ready={name.trim() !== ""} onSubmit={create} onClose={onClose}>
      <TextField label="Name" value={name} onInput={setName} required hint={`Monitors of ${team.name} can look at it by this name.`} />
      <TextField label="Description" value={description} onInput={setDescription} />
    </FormDialog>
  );
}
