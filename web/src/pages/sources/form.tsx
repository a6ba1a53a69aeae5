import { useEffect, useRef, useState } from "preact/hooks";
import { patch, post } from "../../lib/api";
import { capitalize } from "../../lib/format";
import { rulesSetting } from "../../lib/livesource";
import type { Keep, Source, SourceKind, SourceSetting } from "../../lib/types";
import { useUnsaved } from "../../lib/unsaved";
import { Card, Checkbox, Field, Notice, SelectField, TextField } from "../../components/basics";
import { check, draftOf, errorOf, isHidden, isSwitch, newDraft, settingsOf, shownSettings, withSetting, type Draft, type FieldError } from "./draft";
import { Rules } from "./rules";
import { TestCard } from "./test";
import { common } from "../../strings/common";
import { sources as text } from "../../strings/sources";

interface Props {
  kind: SourceKind;
  source?: Source; // the source to edit; none: a new one
  team: number;
  taken?: string[]; // names of the team's sources
  onSaved: (source: Source, secret: string) => void;
  onCancel: () => void;
}

// SourceForm adds or edits a source. Its fields come from the kind.
export function SourceForm({ kind, source, team, taken = [], onSaved, onCancel }: Props) {
  const [draft, setDraft] = useState<Draft>(() => (source ? draftOf(kind, source) : newDraft(kind, taken)));
  const [changed, setChanged] = useState(false);
  const [error, setError] = useState<FieldError | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const leave = useUnsaved(changed && !!source);
  const edit = (d: Draft) => {
    setDraft(d);
    setChanged(true);
    setError(null);
  };
  const request = { team, id: source?.id, kind: kind.name, settings: settingsOf(draft, kind, source), secret: draft.secret || undefined };
  const errorFor = (field: string) => (error?.field === field ? error.message : undefined);

  // A wrong field gets the focus, after the section that hides it has been opened.
  useEffect(() => {
    if (!error) return;
    const input = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    input?.closest("details")?.setAttribute("open", "");
    input?.focus();
  }, [error]);

  const save = async (e: Event) => {
    e.preventDefault();
    const wrong = check(draft, kind, !!source);
    if (wrong) return setError(wrong);
    setBusy(true);
    setError(null);
    const body = { ...request, id: undefined, name: draft.name.trim(), keep: draft.keep, retentionDays: Number(draft.retention) || 0 };
    try {
      const saved = source ? await patch<Source>(`/manage/v1/sources/${source.id}`, { ...body, team: undefined, kind: undefined }) : await post<Source>("/manage/v1/sources", body);
      leave();
      onSaved(saved, draft.secret);
    } catch (err) {
      setError(errorOf((err as Error).message, kind));
      setBusy(false);
    }
  };
  const settings = shownSettings(kind);
  const field = (s: SourceSetting) => (
    <SettingField key={s.name} setting={s} label={s.required || isHidden(s) || s.options.length || s === settings[0] ? s.title : text.optional(s.title)} value={draft.settings[s.name] ?? ""} error={errorFor(s.name)} onInput={(v) => edit(withSetting(draft, kind, s.name, v, taken))} />
  );
  return (
    <div class="columns editor">
      <form ref={form} class="c7" onSubmit={save} noValidate>
        <Card label={text.settingsTitle}>
          <div class="stack">
            {error && error.field === "" && <Notice kind="bad">{error.message}</Notice>}
            {settings.filter((s) => !isHidden(s)).map(field)}
            {kind.secret && (
              <TextField
                label={capitalize(kind.secret)}
                value={draft.secret}
                type={kind.receives ? "text" : "password"}
                autocomplete="off"
                hint={source?.hasSecret ? text.secretKept : text.secretHidden}
                error={errorFor("secret")}
                onInput={(secret) => edit({ ...draft, secret })}
              />
            )}
            <TextField label={text.nameField} value={draft.name} hint={text.nameHint} error={errorFor("name")} onInput={(name) => edit({ ...draft, name, named: true })} />
            {kind.rules && <Rules request={request} ready={!check({ ...draft, name: "-" }, kind, true) && (!kind.secret || draft.secret !== "" || !!source?.hasSecret)} accepted={draft.accepted} error={errorFor(rulesSetting)} onAccept={(accepted) => edit({ ...draft, accepted })} />}
            <details>
              <summary>{text.advanced}</summary>
              <div class="stack disclosed">
                <SelectField label={text.keepLabel} value={draft.keep} hint={text.keepHints[draft.keep]} options={Object.entries(text.keeps).map(([value, name]) => ({ value, name }))} onChange={(keep) => edit({ ...draft, keep: keep as Keep })} />
                <TextField label={text.retention} value={draft.retention} hint={text.retentionHint} error={errorFor("retention")} onInput={(retention) => edit({ ...draft, retention })} />
                {settings.filter(isHidden).map(field)}
              </div>
            </details>
          </div>
          <footer>
            <button type="button" class="button" onClick={onCancel}>
              {common.actions.cancel}
            </button>
            <button type="submit" class="button primary" disabled={busy}>
              {busy ? (source ? common.saving : text.adding) : source ? common.actions.save : common.actions.add}
            </button>
          </footer>
        </Card>
      </form>
      <div class="c5">
        <TestCard kind={kind} request={request} check={() => check({ ...draft, name: "-" }, kind, true)} onError={setError} />
      </div>
    </div>
  );
}

// SettingField is the field of a setting: a checkbox, a list, several lines or one line of text.
function SettingField({ setting: s, label, value, error, onInput }: { setting: SourceSetting; label: string; value: string; error?: string; onInput: (value: string) => void }) {
  const hint = s.help && !/[.!?]$/.test(s.help) ? `${s.help}.` : s.help;
  if (isSwitch(s)) {
    return (
      <div class="field">
        <Checkbox label={label} checked={value === "on"} onChange={(on) => onInput(on ? "on" : "off")} />
        <span class="hint">{hint}</span>
        {error && (
          <span class="error" role="alert">
            {error}
          </span>
        )}
      </div>
    );
  }
  if (s.options.length) {
    const options = s.options.includes(s.default) || s.required ? s.options : ["", ...s.options];
    return (
      <Field label={label} hint={hint} error={error}>
        {(id, described) => (
          <select id={id} value={value} aria-describedby={described} aria-invalid={error ? true : undefined} onChange={(e) => onInput(e.currentTarget.value)}>
            {options.map((o) => (
              <option key={o} value={o}>
                {o || text.noOption}
              </option>
            ))}
          </select>
        )}
      </Field>
    );
  }
  if (s.long) {
    return (
      <Field label={label} hint={hint} error={error}>
        {(id, described) => <textarea id={id} rows={Math.min(12, Math.max(2, value.split("\n").length))} value={value} spellcheck={false} aria-describedby={described} aria-invalid={error ? true : undefined} onInput={(e) => onInput(e.currentTarget.value)} />}
      </Field>
    );
  }
  return <TextField label={label} value={value} hint={hint} error={error} required={s.required} autocomplete="off" onInput={onInput} />;
}
