import { useState } from "preact/hooks";
import { post, remove } from "../../lib/api";
import { number } from "../../lib/format";
import type { ListedContentSource, SessionTeam } from "../../lib/types";
import { Card, TextField } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { FormDialog } from "../../components/form";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { common } from "../../strings/common";
import { uploads } from "../../strings/uploads";
import { forget } from "./history";

// Sources lists the content sources of a team, and deletes them.
export function Sources({ sources, usage, onChanged }: { sources: ListedContentSource[]; usage?: string; onChanged: () => void }) {
  const [deleting, setDeleting] = useState<ListedContentSource | null>(null);
  return (
    <Card title={uploads.contentSources} note={usage}>
      <Rows label={uploads.sourceList} head={[common.words.name, uploads.documents, <span class="sr">{uploads.actions}</span>]}>
        {sources.map((s) => (
          <tr key={s.id}>
            <td class="break">
              {s.name}
              {s.description && <div class="muted small">{s.description}</div>}
            </td>
            <td>{number(s.documents)}</td>
            <td class="right">
              <button type="button" class="button quiet small" aria-label={common.deleteItem(s.name)} onClick={() => setDeleting(s)}>
                {common.actions.delete}
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
    toast(common.deleted(source.name));
    onDeleted();
  };
  return (
    <Confirm title={common.confirmDelete(source.name)} action={uploads.deleteSource(source.documents)} onConfirm={confirm} onClose={onClose}>
      {uploads.deleteSourceText(source.documents)}
    </Confirm>
  );
}

// NewSource is the dialog that creates a content source.
export function NewSource({ team, onClose, onAdded }: { team: SessionTeam; onClose: () => void; onAdded: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const create = async () => {
    await post("/api/content/sources", { teamid: team.id, name: name.trim(), description: description.trim() });
    onAdded();
  };
  return (
    <FormDialog title={uploads.newSource} action={common.actions.create} ready={name.trim() !== ""} onSubmit={create} onClose={onClose}>
      <TextField label={common.words.name} value={name} onInput={setName} required hint={uploads.nameHint(team.name)} />
      <TextField label={common.words.description} value={description} onInput={setDescription} />
    </FormDialog>
  );
}
