import { patch, post } from "../../lib/api";
import type { Client } from "../../lib/types";
import { Checkbox, Field, SelectField, TextField } from "../../components/basics";
import { reports } from "../../strings/reports";

const text = reports.client;

// A ClientDraft is whom a report is for: a client of the team, one that is edited, or a new one.
export interface ClientDraft {
  id: number; // 0: none, or a new one
  editing?: boolean; // the fields of the client are shown
  name?: string;
  logo?: string; // a new logo, in Base64; empty: remove it
  problem?: string; // of the file with the logo
  isDefault?: boolean;
}

const maxLogo = 512 * 1024; // bytes

// saveClient saves a client that is new or edited, and returns its ID.
export async function saveClient(draft: ClientDraft, team: number): Promise<number> {
  if (!draft.editing) return draft.id;
  const body = { name: draft.name, logo: draft.logo, default: draft.isDefault };
  const saved = draft.id ? await patch<Client>(`/manage/v1/clients/${draft.id}`, body) : await post<Client>("/manage/v1/clients", { team, ...body });
  return saved.id;
}

export const isComplete = (draft: ClientDraft) => !draft.editing || (Boolean(draft.name?.trim()) && !draft.problem);

// ClientSection chooses whom a report is for, and creates and edits clients.
export function ClientSection({ clients, draft, onChange }: { clients: Client[]; draft: ClientDraft; onChange: (draft: ClientDraft) => void }) {
  const current = clients.find((c) => c.id === draft.id);
  const edit = (c?: Client) => onChange({ id: c?.id ?? 0, editing: true, name: c?.name ?? "", isDefault: c?.default ?? clients.length === 0 });
  const choose = (value: string) => (value === "new" ? edit() : onChange({ id: Number(value) }));
  const read = (file?: File) => {
    if (!file) return;
    if (file.size > maxLogo) return onChange({ ...draft, logo: undefined, problem: text.tooLarge });
    const reader = new FileReader();
    reader.onload = () => onChange({ ...draft, logo: String(reader.result).split(",")[1] ?? "", problem: undefined });
    reader.onerror = () => onChange({ ...draft, logo: undefined, problem: text.unreadable });
    reader.readAsDataURL(file);
  };
  const options = [{ value: "0", name: text.nobody }, ...clients.map((c) => ({ value: String(c.id), name: c.name })), { value: "new", name: text.another }];
  return (
    <fieldset class="stack tight client">
      <legend class="label">{text.title}</legend>
      <SelectField label={text.choose} hint={text.hint} value={draft.editing && !draft.id ? "new" : String(draft.id)} onChange={choose} options={options} />
      {current && !draft.editing && (
        <div class="row">
          {current.hasLogo && <img class="logo" src={`/manage/v1/clients/${current.id}/logo?v=${current.revision}`} alt={text.logoOf(current.name)} />}
          <button type="button" class="linklike" onClick={() => edit(current)}>
            {text.edit(current.name)}
          </button>
        </div>
      )}
      {draft.editing && (
        <>
          <TextField label={text.name} value={draft.name ?? ""} onInput={(name) => onChange({ ...draft, name })} />
          <Field label={text.logo} hint={text.logoHint} error={draft.problem}>
            {(id, described) => <input id={id} type="file" accept="image/png,image/jpeg" aria-describedby={described} aria-invalid={draft.problem ? true : undefined} onChange={(e) => read(e.currentTarget.files?.[0])} />}
          </Field>
          {current?.hasLogo && <Checkbox label={text.removeLogo} checked={draft.logo === ""} onChange={(remove) => onChange({ ...draft, logo: remove ? "" : undefined })} />}
          <Checkbox label={text.isDefault} checked={draft.isDefault ?? false} onChange={(isDefault) => onChange({ ...draft, isDefault })} />
        </>
      )}
    </fieldset>
  );
}
