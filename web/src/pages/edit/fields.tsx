import { useEffect, useState } from "preact/hooks";
import { choices } from "../../lib/choices";
import { useUser } from "../../lib/session";
import type { Lint, MonitorType } from "../../lib/types";
import { Card, Field, SelectField, TextField } from "../../components/basics";
import { Picker } from "../../components/picker";
import { QueryEditor } from "../../components/queryeditor";
import type { Draft } from "./draft";

export interface FieldsProps {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
}

const types: { id: MonitorType; name: string; note: string }[] = [
  { id: "BUZZ", name: "Buzz", note: "What a query finds, with sentiment and emotion" },
  { id: "OPINION", name: "Opinion", note: "What a query finds, sorted into categories that you teach" },
  { id: "SOCIAL", name: "Social", note: "One account: what it writes and what is written to it" },
];

// TypeField chooses the type of a new monitor; it stays for ever.
export function TypeField({ draft, set }: FieldsProps) {
  return (
    <fieldset>
      <legend class="label">Type</legend>
      <div class="types">
        {types.map((t) => (
          <label key={t.id} class="type">
            <input type="radio" name="type" checked={draft.type === t.id} onChange={() => set({ type: t.id })} />
            <span>
              <strong>{t.name}</strong>
              <span class="small muted">{t.note}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

// NameFields are what the monitor is called and, for a new one, whose it is.
export function NameFields({ draft, set, created }: FieldsProps & { created?: boolean }) {
  const teams = useUser().teams;
  return (
    <>
      <TextField label="Name" value={draft.name} onInput={(name) => set({ name })} required />
      <Field label="Description">{(id) => <textarea id={id} rows={2} maxLength={2000} value={draft.description} onInput={(e) => set({ description: e.currentTarget.value })} />}</Field>
      {!created && teams.length > 1 && (
        <SelectField label="Team" value={String(draft.team)} onChange={(team) => set({ team: Number(team), sources: [] })} options={teams.map((t) => ({ value: String(t.id), name: t.name }))} hint="Its members see the monitor." />
      )}
    </>
  );
}

// QueryFields are what the monitor looks for: a query, or an account and, if one likes, a query within its posts.
export function QueryFields({ draft, set, onLint }: FieldsProps & { onLint: (lint: Lint | null) => void }) {
  const social = draft.type === "SOCIAL";
  return (
    <Card title={social ? "Account" : "Query"}>
      <div class="stack">
        {social && <AccountFields draft={draft} set={set} />}
        <QueryEditor
          label={social ? "Only posts that match (optional)" : "Keywords"}
          value={draft.keywords}
          onChange={(keywords) => set({ keywords })}
          onLint={onLint}
          required={!social}
          placeholder={social ? "" : '("cold brew" OR espresso) AND NOT job'}
        />
      </div>
    </Card>
  );
}

const networks = ["Twitter", "Instagram", "Facebook", "Bluesky", "Mastodon", "Threads"];

function AccountFields({ draft, set }: FieldsProps) {
  const account = draft.account;
  const page = account.network === "Facebook";
  const change = (to: Partial<Draft["account"]>) => set({ account: { ...account, ...to } });
  return (
    <div class="criteria">
      <SelectField label="Network" value={account.network} onChange={(network) => change({ network })} options={networks.map((n) => ({ value: n, name: n }))} />
      {page && <TextField label="Page id" value={account.pageId} onInput={(pageId) => change({ pageId })} hint="The number of the page, such as 108842215550199" />}
      <TextField label={page ? "Handle (optional)" : "Handle"} value={account.handle} onInput={(handle) => change({ handle })} placeholder="acme" hint="With or without @" />
    </div>
  );
}

// LabelFields are the zone and the first day of a monitor, and what it is found by.
export function LabelFields({ draft, set }: FieldsProps) {
  const [zones, setZones] = useState<string[]>([]);
  useEffect(() => {
    choices().then((c) => setZones(c.timezones), () => {});
  }, []);
  const list = (values: string[]) => values.map((v) => ({ id: v, name: v }));
  return (
    <div class="criteria">
      <Picker label="Time zone" single values={list(draft.timezone ? [draft.timezone] : [])} placeholder="UTC" options={list(zones)} onChange={(v) => set({ timezone: v[0]?.id ?? "" })} hint="Days begin and end on its clock." />
      <TextField label="First day" type="date" value={draft.start} onInput={(start) => set({ start })} required hint="Stored posts since then are matched, too." />
      <Picker label="Tags" free values={list(draft.tags)} onChange={(v) => set({ tags: v.map((t) => t.id) })} placeholder="Type and press Enter" />
      <Picker label="Target hashtags" free values={list(draft.targetHashtags)} onChange={(v) => set({ targetHashtags: v.map((t) => t.id.replace(/^#/, "")) })} placeholder="Type and press Enter" hint="Counted one by one in the monitor's results." />
    </div>
  );
}
