import { useState } from "preact/hooks";
import { patch, post, remove } from "../../lib/api";
import { number } from "../../lib/format";
import type { ContentSourceInfo, SessionTeam } from "../../lib/types";
import { Card, SelectField, TextField } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { FormDialog } from "../../components/form";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { common } from "../../strings/common";
import { uploads } from "../../strings/uploads";
import { forget } from "./history";

// Sources lists the content sources of a team, and deletes them.
export function Sources({ sources, usage, onChanged }: { sources: ContentSourceInfo[]; usage?: string; onChanged: () => void }) {
  const [deleting, setDeleting] = useState<ContentSourceInfo | null>(null);
  const choose = async (s: ContentSourceInfo, domain: string) => {
    try {
      await patch(`/manage/v1/content-sources/${s.id}`, { domain });
      toast(uploads.domainChanged(s.name));
      onChanged();
    } catch (err) {
      toast((err as Error).message);
    }
  };
  return (
    <Card title={uploads.contentSources} note={usage}>
      <Rows label={uploads.sourceList} head={[common.words.name, uploads.documents, uploads.domain, <span class="sr">{uploads.actions}</span>]}>
        {sources.map((s) => (
          <tr key={s.id}>
            <td class="break">
              {s.name}
              {s.description && <div class="muted small">{s.description}</div>}
            </td>
            <td>{number(s.documents)}</td>
            <td>
              <SelectField label={uploads.domainOf(s.name)} value={s.domainChosen ? s.domain : ""} options={domainOptions(s)} onChange={(domain) => choose(s, domain)} />
            </td>
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

// domainOptions returns the domains, preceded by the choice to have Earshot guess.
function domainOptions(s: ContentSourceInfo) {
  const guessed = s.domain && !s.domainChosen ? uploads.domainGuessed(uploads.domains[s.domain] ?? s.domain) : uploads.domainGuess;
  return [{ value: "", name: guessed }, ...Object.entries(uploads.domains).map(([value, name]) => ({ value, name }))];
}

function DeleteSource({ source, onClose, onDeleted }: { source: ContentSourceInfo; onClose: () => void; onDeleted: () => void }) {
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
