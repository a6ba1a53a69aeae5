import { type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PendingQuery } from "../../lib/queryform";
import type { Lint } from "../../lib/types";
import { useUnsaved } from "../../lib/unsaved";
import { Card, Notice } from "../../components/basics";
import { CategoryFields } from "./categories";
import { CriteriaFields } from "./criteria";
import { changes, hasAccount, validate, type Draft, type FieldErrors } from "./draft";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";
import { DetailFields, NameFields, TypeField, QueryFields } from "./fields";
import { Preview } from "./preview";

interface Props {
  initial: Draft;
  proposed?: Partial<Draft>; // changes that are not saved yet
  created?: boolean; // the monitor already exists
  derivedAccounts?: string[]; // the own accounts that follow from its account and query
  action: string;
  // onSave returns the monitor as saved. It calls letGo before it leaves the page, so that the user
  // is not asked about unsaved changes.
  onSave: (draft: Draft, before: Draft, letGo: () => void) => Promise<Draft>;
  children?: ComponentChildren; // shown next to the submit button
}

// MonitorForm edits a new or existing monitor, with a preview of the posts it would match.
export function MonitorForm({ initial, proposed, created, derivedAccounts = [], action, onSave, children }: Props) {
  const [before, setBefore] = useState(initial);
  const [draft, setDraft] = useState({ ...initial, ...proposed });
  const [lint, setLint] = useState<Lint | null>(null); // the server's check of the query, or null until there is one
  const [submitted, setSubmitted] = useState(0); // how often saving was tried since the last success
  const [refused, setRefused] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const pending: PendingQuery = useRef(null);
  const errors: FieldErrors = submitted ? validate(draft) : {};
  const dirty = Object.keys(changes(draft, before)).length > 0;
  const letGo = useUnsaved(dirty);
  const set = (to: Partial<Draft>) => {
    setRefused(null);
    setDraft((d) => ({ ...d, ...to }));
  };
  useEffect(() => {
    if (submitted) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [submitted]);
  // Another card of this page, for example the saved filters, changed the monitor, so it was loaded
  // again. A form with edits adopts the new revision if its own fields did not change; otherwise
  // the server rejects the save as a conflict.
  useEffect(() => {
    if (!dirty) {
      setBefore(initial);
      setDraft(initial);
    } else if (Object.keys(changes(initial, before)).length === 0) setBefore({ ...before, revision: initial.revision });
  }, [initial.revision]);
  const save = async (e: Event) => {
    e.preventDefault();
    setSubmitted((n) => n + 1);
    const written = pending.current;
    if (Object.keys(validate(written ? { ...draft, keywords: "pending" } : draft)).length > 0 || lint?.valid === false) return;
    setBusy(true);
    setRefused(null);
    try {
      const saved = await onSave(written ? { ...draft, keywords: await written } : draft, before, letGo);
      setBefore(saved);
      setDraft((now) => (now === draft ? saved : now)); // keep what was typed while saving
      setSubmitted(0);
    } catch (err) {
      setRefused(err as Error);
    }
    setBusy(false);
  };
  return (
    <form ref={form} class="stack" aria-label={common.words.monitor} noValidate onSubmit={save}>
      {dirty && proposed?.keywords === draft.keywords && <Notice>{edit.proposed}</Notice>}
      <div class="columns editor">
        <div class="c7 stack">
          <Card title={common.words.monitor}>
            <div class="stack">
              {!created && <TypeField draft={draft} set={set} />}
              <NameFields draft={draft} set={set} errors={errors} created={created} />
            </div>
          </Card>
          <QueryFields draft={draft} set={set} errors={errors} onLint={setLint} pending={pending} />
          {draft.type === "OPINION" && (
            <Card title={common.words.categories}>
              <CategoryFields list={draft.categories} error={errors.categories} onChange={(categories) => set({ categories })} />
            </Card>
          )}
          <Card title={edit.criteriaTitle} note={edit.criteriaNote}>
            <CriteriaFields key={draft.team} value={draft} onChange={set} team={draft.team} sources={draft.type !== "SOCIAL"} />
          </Card>
          <Card title={edit.detailsTitle}>
            <DetailFields draft={draft} set={set} errors={errors} derived={derivedAccounts} />
          </Card>
        </div>
        <div class="c5">
          <Preview draft={draft} ready={isReady(draft, lint)} />
        </div>
      </div>
      <footer class={`savebar ${created && !dirty ? "idle" : ""}`}>
        {refused && (
          <div class="notice bad break grow" role="alert">
            {refused.message}
          </div>
        )}
        {children}
        {created && dirty && (
          <button type="button" class="button" onClick={() => setDraft(before)}>
            {edit.discardChanges}
          </button>
        )}
        <button type="submit" class="button primary" disabled={busy || (created && !dirty)}>
          {busy ? common.saving : action}
        </button>
      </footer>
    </form>
  );
}

// isReady reports whether a draft can be previewed: its query is valid, and a social monitor names an
// account.
function isReady(d: Draft, lint: Lint | null): boolean {
  if (d.type === "SOCIAL" && !hasAccount(d)) return false;
  return d.keywords.trim() ? (lint?.valid ?? false) : d.type === "SOCIAL";
}
