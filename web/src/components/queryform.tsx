import type { NearTerms, QueryForm } from "../lib/types";
import { Checkbox, TextField } from "./basics";
import { Icon } from "./icon";
import { Picker } from "./picker";
import { common } from "../strings/common";

const text = common.queryForm;

// QueryFormFields edits the parts of a query: words that must, may and must not occur, as chips.
export function QueryFormFields({ form, onChange }: { form: QueryForm; onChange: (form: QueryForm) => void }) {
  const groups = form.any.length ? form.any : [[]];
  const set = (changes: Partial<QueryForm>) => onChange({ ...form, ...changes });
  const setGroup = (at: number, terms: string[]) => set({ any: groups.map((g, i) => (i === at ? terms : g)).filter((g, i) => g.length > 0 || (i === at && i === 0)) });
  const setNear = (at: number, near: NearTerms | null) => set({ near: form.near.flatMap((n, i) => (i !== at ? [n] : near ? [near] : [])) });
  return (
    <div class="stack tight" role="group" aria-label={text.label}>
      {groups.map((terms, i) => (
        <Terms key={`any ${i}`} label={i ? text.andAny(i + 1) : text.any} hint={i ? undefined : text.anyHint} terms={terms} onChange={(t) => setGroup(i, t)} />
      ))}
      <div>
        <button type="button" class="button quiet small" disabled={groups.some((g) => !g.length)} onClick={() => set({ any: [...groups, []] })}>
          <Icon name="plus" />
          {text.addGroup}
        </button>
      </div>
      <Terms label={text.all} terms={form.all} onChange={(all) => set({ all })} />
      <Terms label={text.phrases} terms={form.phrases} onChange={(phrases) => set({ phrases })} />
      <Terms label={text.none} terms={form.none} onChange={(none) => set({ none })} />
      {form.near.map((near, i) => (
        <NearFields key={`near ${i}`} near={near} position={i + 1} onChange={(n) => setNear(i, n)} />
      ))}
      <div>
        <button type="button" class="button quiet small" onClick={() => set({ near: [...form.near, { groups: [[], []], distance: 5, ordered: false }] })}>
          <Icon name="plus" />
          {text.addNear}
        </button>
      </div>
    </div>
  );
}

// Terms edits a list of terms.
function Terms({ label, hint, terms, onChange }: { label: string; hint?: string; terms: string[]; onChange: (terms: string[]) => void }) {
  return <Picker label={label} hint={hint} free placeholder={text.placeholder} values={terms.map((t) => ({ id: t, name: t }))} onChange={(values) => onChange(values.map((v) => v.id))} />;
}

// NearFields edits words that must be close to each other.
function NearFields({ near, position, onChange }: { near: NearTerms; position: number; onChange: (near: NearTerms | null) => void }) {
  const set = (changes: Partial<NearTerms>) => onChange({ ...near, ...changes });
  return (
    <fieldset class="stack tight near">
      <legend class="label">{text.near(position)}</legend>
      {near.groups.map((terms, i) => (
        <Terms key={i} label={text.nearGroup(i + 1)} terms={terms} onChange={(t) => set({ groups: near.groups.map((g, k) => (k === i ? t : g)) })} />
      ))}
      <div class="row">
        <TextField label={text.distance} type="number" min={0} max={1000000} value={String(near.distance)} onInput={(d) => set({ distance: Math.max(0, Math.min(1_000_000, Math.round(Number(d)) || 0)) })} />
        <Checkbox label={text.ordered} checked={near.ordered} onChange={(ordered) => set({ ordered })} />
        <button type="button" class="button quiet small" onClick={() => set({ groups: [...near.groups, []] })}>
          {text.addNearGroup}
        </button>
        <button type="button" class="button quiet small" aria-label={text.removeNear(position)} onClick={() => onChange(null)}>
          {common.actions.remove}
        </button>
      </div>
    </fieldset>
  );
}
