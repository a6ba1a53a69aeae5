import { useEffect, useState } from "preact/hooks";
import { choices } from "../../lib/choices";
import type { PendingQuery } from "../../lib/queryform";
import { useUser } from "../../lib/session";
import type { Lint, MonitorType } from "../../lib/types";
import { Card, Field, SelectField, TextField } from "../../components/basics";
import { Picker } from "../../components/picker";
import { QueryEditor } from "../../components/queryeditor";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";
import { criteriaBody, hasAccount, type Draft, type FieldErrors } from "./draft";

export interface FieldsProps {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
  errors: FieldErrors;
}

const types: MonitorType[] = ["BUZZ", "OPINION", "SOCIAL"];

// TypeField chooses the type of a new monitor. It cannot be changed later.
export function TypeField({ draft, set }: Omit<FieldsProps, "errors">) {
  return (
    <fieldset>
      <legend class="label">{edit.type}</legend>
      <div class="types">
        {types.map((t) => (
          <label key={t} class="type">
            <input type="radio" name="type" checked={draft.type === t} onChange={() => set({ type: t })} />
            <span>
              <strong>{edit.types[t].name}</strong>
              <span class="small muted">{edit.types[t].note}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

// NameFields edits the name and, for a new monitor, the team.
export function NameFields({ draft, set, errors, created }: FieldsProps & { created?: boolean }) {
  const teams = useUser().teams;
  return (
    <div class="criteria">
      <TextField label={common.words.name} value={draft.name} onInput={(name) => set({ name })} error={errors.name} required />
      {!created && teams.length > 1 && (
        <SelectField label={common.words.team} value={String(draft.team)} onChange={(team) => set({ team: Number(team), sources: [] })} options={teams.map((t) => ({ value: String(t.id), name: t.name }))} hint={edit.teamHint} />
      )}
    </div>
  );
}

// QueryFields edits the query or, for a SOCIAL monitor, the account and an optional query within
// its posts.
export function QueryFields({ draft, set, errors, onLint, pending }: FieldsProps & { onLint: (lint: Lint | null) => void; pending: PendingQuery }) {
  const social = draft.type === "SOCIAL";
  return (
    <Card title={social ? edit.accountTitle : edit.queryTitle}>
      <div class="stack">
        {social && <AccountFields draft={draft} set={set} errors={errors} />}
        <QueryEditor
          label={social ? edit.accountKeywords : edit.keywords}
          value={draft.keywords}
          onChange={(keywords) => set({ keywords })}
          onLint={onLint}
          pending={pending}
          suggestFor={suggestionCriteria(draft)}
          error={errors.keywords}
          required={!social}
          placeholder={social ? "" : edit.keywordsExample}
        />
      </div>
    </Card>
  );
}

// suggestionCriteria returns what the suggestions for a query depend on. For a SOCIAL monitor without
// an account, it leaves out the account.
function suggestionCriteria(d: Draft): Record<string, unknown> {
  const { keywords: _, ...criteria } = criteriaBody(d);
  return d.type === "SOCIAL" && !hasAccount(d) ? { team: d.team } : { team: d.team, type: d.type, ...criteria };
}

const networks = ["Twitter", "Instagram", "Facebook", "Bluesky", "Mastodon", "Threads"];

function AccountFields({ draft, set, errors }: FieldsProps) {
  const account = draft.account;
  const page = account.network === "Facebook";
  const change = (to: Partial<Draft["account"]>) => set({ account: { ...account, ...to } });
  return (
    <div class="criteria">
      <SelectField label={edit.network} value={account.network} onChange={(network) => change({ network })} options={networks.map((n) => ({ value: n, name: n }))} />
      {page && <TextField label={edit.pageId} value={account.pageId} onInput={(pageId) => change({ pageId })} error={errors.pageId} hint={edit.pageIdHint} />}
      <TextField label={page ? edit.handleOptional : edit.handle} value={account.handle} onInput={(handle) => change({ handle })} error={errors.handle} placeholder={edit.handleExample} hint={edit.handleHint} />
    </div>
  );
}

// DetailFields edits the description, the time zone, the start date, the tags, the tracked hashtags
// and the own accounts. derived are the own accounts that follow from the saved monitor.
export function DetailFields({ draft, set, errors, derived }: FieldsProps & { derived: string[] }) {
  const [zones, setZones] = useState<string[]>([]);
  useEffect(() => {
    choices().then((c) => setZones(c.timezones), () => {});
  }, []);
  const list = (values: string[]) => values.map((v) => ({ id: v, name: v }));
  return (
    <div class="stack">
      <Field label={common.words.description}>{(id) => <textarea id={id} rows={2} maxLength={2000} value={draft.description} onInput={(e) => set({ description: e.currentTarget.value })} />}</Field>
      <div class="criteria">
        <Picker label={common.words.timezone} single values={list(draft.timezone ? [draft.timezone] : [])} placeholder={edit.defaultTimezone} options={list(zones)} onChange={(v) => set({ timezone: v[0]?.id ?? "" })} hint={edit.timezoneHint} />
        <TextField label={edit.start} type="date" value={draft.start} onInput={(start) => set({ start })} required error={errors.start} hint={edit.startHint} />
        <Picker label={edit.tags} free values={list(draft.tags)} onChange={(v) => set({ tags: v.map((t) => t.id) })} placeholder={edit.typeAndEnter} />
        <Picker label={edit.trackedHashtags} free values={list(draft.targetHashtags)} onChange={(v) => set({ targetHashtags: v.map((t) => t.id.replace(/^#/, "")) })} placeholder={edit.typeAndEnter} hint={edit.trackedHashtagsHint} />
        <Picker label={edit.ownAccounts} free values={draft.ownAccounts.map((a) => ({ id: a, name: `@${a}` }))} onChange={(v) => set({ ownAccounts: v.map((a) => a.id.replace(/^@/, "")) })} placeholder={edit.typeAndEnter} hint={draft.ownAccounts.length ? edit.ownAccountsHint : edit.ownAccountsDerived(derived)} />
      </div>
    </div>
  );
}
