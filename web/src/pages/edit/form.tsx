import { type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useUnsaved } from "../../lib/unsaved";
import { Card } from "../../components/basics";
import { CategoryFields } from "./categories";
import { CriteriaFields } from "./criteria";
import { changes, validate, type Draft } from "./draft";
import { LabelFields, NameFields, TypeField, QueryFields } from "./fields";
import { Preview } from "./preview";

interface Props {
  initial: Draft;
  created?: boolean; // the monitor is there already
  action: string;
  onSave: (draft: Draft, before: Draft, letGo: () => void) => Promise<Draft>; // returns it as it was saved
  children?: ComponentChildren; // beside the button that saves
}

// MonitorForm edits a monitor, new or not, with a preview beside it.
export function MonitorForm({ initial, created, action, onSave, children }: Props) {
  const [before, setBefore] = useState(initial);
  const [draft, setDraft] = useState(initial);
  const [right, setRight] = useState(initial.keywords === ""); // the query, as far as the server has said
  const [refused, setRefused] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const notice = useRef<HTMLDivElement>(null);
  const dirty = Object.keys(changes(draft, before)).length > 0;
  const letGo = useUnsaved(dirty);
  const set = (to: Partial<Draft>) => setDraft((d) => ({ ...d, ...to }));
  useEffect(() => {
    notice.current?.focus();
  }, [refused]);
  // When the monitor was loaded again, because something else about it was changed here, the form goes on from that. If others
  // have changed what the form is about, saving is refused instead.
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
      setDraft((now) => (now === draft ? saved : now)); // unless something was typed meanwhile
    } catch (err) {
      setRefused(err as Error);
    }
    setBusy(false);
  };
  return (
    <form class="stack" aria-label="Monitor" noValidate onSubmit={save}>
      {refused && (
        <div ref={notice} class="notice bad break" role="alert" tabIndex={-1}>
          {refused.message}
        </div>
      )}
      <div class="columns editor">
        <div class="c7 stack">
          <Card title="Monitor">
            <div class="stack">
              {!created && <TypeField draft={draft} set={set} />}
              <NameFields draft={draft} set={set} created={created} />
            </div>
          </Card>
          <QueryFields draft={draft} set={set} onLint={(lint) => setRight(lint?.valid ?? false)} />
          {draft.type === "OPINION" && (
            <Card title="Categories">
              <CategoryFields list={draft.categories} onChange={(categories) => set({ categories })} />
            </Card>
          )}
          <Card title="Which posts" note="All of these must hold beside the query.">
            <CriteriaFields key={draft.team} value={draft} onChange={set} team={draft.team} sources={draft.type !== "SOCIAL"} />
          </Card>
          <Card title="Days and labels">
            <LabelFields draft={draft} set={set} />
          </Card>
        </div>
        <div class="c5">
          <Preview draft={draft} ready={isReady(draft, right)} />
        </div>
      </div>
      <footer class="savebar">
        {children}
        {created && dirty && (
          <button type="button" class="button" onClick={() => setDraft(before)}>
            Discard changes
          </button>
        )}
        <button type="submit" class="button primary" disabled={busy || (created && !dirty)}>
          {busy ? "Saving…" : action}
        </button>
      </footer>
    </form>
  );
}

// isReady reports whether a draft selects posts: its query is right, or it names an account.
function isReady(d: Draft, right: boolean): boolean {
  if (d.keywords.trim()) return right;
  return d.type === "SOCIAL" && Boolean(d.account.network === "Facebook" ? d.account.pageId.trim() : d.account.handle.trim());
}
