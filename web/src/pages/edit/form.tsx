import { type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useUnsaved } from "../../lib/unsaved";
import { Card } from "../../components/basics";
import { CategoryFields } from "./categories";
import { CriteriaFields } from "./criteria";
import { changes, hasAccount, validate, type Draft } from "./draft";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";
import { DateFields, NameFields, TypeField, QueryFields } from "./fields";
import { Preview } from "./preview";

interface Props {
  initial: Draft;
  created?: boolean; // the monitor already exists
  action: string;
  // onSave returns the monitor as saved. It calls letGo before it leaves the page, so that the user
  // is not asked about unsaved changes.
  onSave: (draft: Draft, before: Draft, letGo: () => void) => Promise<Draft>;
  children?: ComponentChildren; // shown next to the submit button
}

// MonitorForm edits a new or existing monitor, with a preview of the posts it would match.
export function MonitorForm({ initial, created, action, onSave, children }: Props) {
  const [before, setBefore] = useState(initial);
  const [draft, setDraft] = useState(initial);
  const [valid, setValid] = useState(initial.keywords === ""); // whether the server accepts the query
  const [refused, setRefused] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const notice = useRef<HTMLDivElement>(null);
  const dirty = Object.keys(changes(draft, before)).length > 0;
  const letGo = useUnsaved(dirty);
  const set = (to: Partial<Draft>) => setDraft((d) => ({ ...d, ...to }));
  useEffect(() => {
    notice.current?.focus();
  }, [refused]);
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
    setBusy(true);
    setRefused(null);
    try {
      const missing = validate(draft);
      if (missing) throw new Error(missing);
      const saved = await onSave(draft, before, letGo);
      setBefore(saved);
      setDraft((now) => (now === draft ? saved : now)); // keep what was typed while saving
    } catch (err) {
      setRefused(err as Error);
    }
    setBusy(false);
  };
  return (
    <form class="stack" aria-label={common.words.monitor} noValidate onSubmit={save}>
      {refused && (
        <div ref={notice} class="notice bad break" role="alert" tabIndex={-1}>
          {refused.message}
        </div>
      )}
      <div class="columns editor">
        <div class="c7 stack">
          <Card title={common.words.monitor}>
            <div class="stack">
              {!created && <TypeField draft={draft} set={set} />}
              <NameFields draft={draft} set={set} created={created} />
            </div>
          </Card>
          <QueryFields draft={draft} set={set} onLint={(lint) => setValid(lint?.valid ?? false)} />
          {draft.type === "OPINION" && (
            <Card title={common.words.categories}>
              <CategoryFields list={draft.categories} onChange={(categories) => set({ categories })} />
            </Card>
          )}
          <Card title={edit.criteriaTitle} note={edit.criteriaNote}>
            <CriteriaFields key={draft.team} value={draft} onChange={set} team={draft.team} sources={draft.type !== "SOCIAL"} />
          </Card>
          <Card title={edit.datesTitle}>
            <DateFields draft={draft} set={set} />
          </Card>
        </div>
        <div class="c5">
          <Preview draft={draft} ready={isReady(draft, valid)} />
        </div>
      </div>
      <footer class="savebar">
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
function isReady(d: Draft, valid: boolean): boolean {
  if (d.type === "SOCIAL" && !hasAccount(d)) return false;
  return d.keywords.trim() ? valid : d.type === "SOCIAL";
}
