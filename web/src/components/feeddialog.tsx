import { useState } from "preact/hooks";
import { listAll, post } from "../lib/api";
import { formatFilter, parseFilter } from "../lib/filter";
import { useLoad } from "../lib/load";
import { useUser } from "../lib/session";
import type { FeedKind, Monitor, NewFeedLink } from "../lib/types";
import type { FilteredView } from "../lib/view";
import { AddFilter } from "./addfilter";
import { ErrorNotice, Field, Notice, SegmentedControl, SelectField, Skeleton, TextField } from "./basics";
import { Curl } from "./curl";
import { Dialog } from "./dialog";
import { FilterChips } from "./filterchips";
import { common } from "../strings/common";
import { reports } from "../strings/reports";

const text = reports.feeds;

// A Start is what the form is filled in with.
interface Start {
  team?: number;
  monitor?: number; // or a saved filter
  filter?: string;
}

interface Draft {
  team: number;
  kind: FeedKind;
  monitor: number; // 0: the first one for posts, all of them for signals
  filter: string;
  name: string;
}

// FeedDialog creates a feed. Its address is shown only once.
export function FeedDialog({ start, onClose, onCreated }: { start: Start; onClose: () => void; onCreated?: () => void }) {
  const { teams } = useUser();
  const [draft, setDraft] = useState<Draft>({ team: start.team ?? teams[0].id, kind: "posts", monitor: start.monitor ?? 0, filter: start.filter ?? "", name: "" });
  const [created, setCreated] = useState<NewFeedLink>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const set = (changes: Partial<Draft>) => setDraft((d) => ({ ...d, ...changes }));
  const monitors = useLoad(`monitors of ${draft.team}`, () => listAll<Monitor>("/manage/v1/monitors", { team: draft.team }));
  const options = (monitors.data ?? []).flatMap((m) => [{ value: String(m.id), name: m.name }, ...m.filters.map((f) => ({ value: String(f.id), name: reports.savedFilter(m.name, f.name) }))]);
  const posts = draft.kind === "posts";
  const monitor = draft.monitor || (posts ? Number(options[0]?.value ?? 0) : 0);
  const m = monitors.data?.find((m) => m.id === monitor || m.filters.some((f) => f.id === monitor));
  const shown = options.find((o) => o.value === String(monitor))?.name;
  const suggestion = posts ? text.posts(shown ?? "") : shown ? text.signals(shown) : text.allSignals;
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      setCreated(await post<NewFeedLink>("/manage/v1/feeds", { team: draft.team, kind: draft.kind, monitor, filter: posts ? draft.filter : "", name: draft.name.trim() || suggestion }));
      onCreated?.();
    } catch (err) {
      setError((err as Error).message);
    }
    setBusy(false);
  };
  if (created) {
    return (
      <Dialog
        key="created"
        title={created.name}
        onClose={onClose}
        footer={
          <button type="button" class="button primary" onClick={onClose}>
            {common.actions.close}
          </button>
        }
      >
        <div class="stack tight">
          <Notice kind="good">{text.created}</Notice>
          <Curl text={new URL(created.path, window.location.href).href} name={text.address} label={text.copy} />
        </div>
      </Dialog>
    );
  }
  const view: FilteredView = { filter: parseFilter(draft.filter), setFilter: (filter) => set({ filter: formatFilter(filter) }), params: { range: "", start: "", end: "", filter: draft.filter }, sub: String(monitor) };
  return (
    <Dialog title={text.new} onClose={onClose}>
      <form onSubmit={submit}>
        <div class="stack">
          {error && <Notice kind="bad">{error}</Notice>}
          {monitors.error && <ErrorNotice error={monitors.error} retry={monitors.reload} />}
          {teams.length > 1 && !start.monitor && <SelectField label={common.words.team} value={String(draft.team)} onChange={(id) => set({ team: Number(id), monitor: 0, filter: "" })} options={teams.map((t) => ({ value: String(t.id), name: t.name }))} />}
          <Field label={text.kind}>{() => <SegmentedControl label={text.kind} value={draft.kind} onChange={(kind) => set({ kind })} options={[{ value: "posts", name: text.kinds.posts }, { value: "signals", name: text.kinds.signals }]} />}</Field>
          {monitors.data ? <SelectField label={text.monitor} value={String(monitor)} onChange={(id) => set({ monitor: Number(id) })} options={posts ? options : [{ value: "0", name: text.allMonitors }, ...options]} /> : <Skeleton height="3.6rem" />}
          {posts && m && (
            <div class="field">
              <span class="label">{common.filter.button}</span>
              <div class="row">
                <AddFilter m={m} view={view} />
                {draft.filter ? <FilterChips m={m} view={view} /> : <span class="muted">{common.filter.allPosts}</span>}
              </div>
            </div>
          )}
          <TextField label={text.name} value={draft.name} onInput={(name) => set({ name })} placeholder={suggestion} />
        </div>
        <footer>
          <button type="button" class="button" onClick={onClose}>
            {common.actions.cancel}
          </button>
          <button type="submit" class="button primary" disabled={busy || (posts && !monitor)}>
            {busy ? common.pleaseWait : text.create}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
