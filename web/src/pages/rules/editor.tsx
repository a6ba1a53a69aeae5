import { useState } from "preact/hooks";
import { ApiError, get, listAll, patch, post, put } from "../../lib/api";
import { findPlaces, placeNames, choices } from "../../lib/choices";
import { shortCategory } from "../../lib/color";
import { formatFilter, parseFilter } from "../../lib/filter";
import { dateTime, number } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { navigate } from "../../lib/router";
import type { DetectionInfo, Metric, Monitor, RuleInfo, RuleKind, SignalKind } from "../../lib/types";
import { useUnsaved } from "../../lib/unsaved";
import type { FilteredView } from "../../lib/view";
import { AddFilter } from "../../components/addfilter";
import { Card, Checkbox, ErrorNotice, Field, Notice, SegmentedControl, SelectField, Skeleton, TextField } from "../../components/basics";
import { FilterChips } from "../../components/filterchips";
import { Picker, type PickerOption } from "../../components/picker";
import { toast } from "../../components/toast";
import { SignalsLayout } from "../signals/layout";
import { ChannelFields, ScheduleFields } from "./fields";
import { bodyOf, hasOf, isComplete, sentenceOf, type Draft } from "./draft";
import { RulePreview } from "./preview";
import { common } from "../../strings/common";
import { isShare, rules, signals } from "../../strings/signals";

const text = rules.editor;

interface Props {
  first: Draft;
  saved?: RuleInfo; // the rule that is edited
  detection?: DetectionInfo;
  onReload?: () => void;
}

// RuleEditor creates or changes a rule. It says in a sentence what the rule does, and how often it
// would have raised a signal.
export function RuleEditor({ first, saved, detection, onReload }: Props) {
  const { data: monitors, error, reload } = useLoad("monitors", () => listAll<Monitor>("/manage/v1/monitors"));
  const title = saved || detection ? rules.edit : rules.new;
  return (
    <SignalsLayout title={title} lead={rules.lead}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!monitors && !error && <Skeleton height="30rem" label={rules.loading} />}
      {monitors?.length === 0 && <Notice>{text.noMonitors}</Notice>}
      {monitors && monitors.length > 0 && <Form first={first.monitor ? first : { ...first, monitor: monitors[0].id }} saved={saved} detection={detection} monitors={monitors} onReload={onReload} />}
    </SignalsLayout>
  );
}

// monitorOf finds a monitor by its id or that of one of its saved filters.
function monitorOf(monitors: Monitor[], id: number): { m?: Monitor; name: string } {
  for (const m of monitors) {
    if (m.id === id) return { m, name: m.name };
    const saved = m.filters.find((f) => f.id === id);
    if (saved) return { m, name: text.savedFilter(m.name, saved.name) };
  }
  return { name: "" };
}

function Form({ first, saved, detection, monitors, onReload }: Props & { monitors: Monitor[] }) {
  const [typed, setDraft] = useState(first);
  const draft = useSuggestedLimit(typed);
  const [ofName, setOfName] = useState<PickerOption[]>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const change = (changes: Partial<Draft>) => setDraft({ ...typed, ...changes });
  const saveDone = useUnsaved(JSON.stringify(typed) !== JSON.stringify(first) && !busy);
  const { m, name: monitorName } = monitorOf(monitors, draft.monitor);
  const of = useOfName(draft, m, ofName);
  const sentence = sentenceOf(draft, monitorName, of);
  const isFixed = Boolean(saved || detection);
  const save = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const body = bodyOf(draft, defaultName(draft, sentence));
      if (saved) await patch(`/manage/v1/rules/${saved.id}`, { ...body, revision: saved.revision });
      else if (draft.kind === "unusual") await put(`/manage/v1/monitors/${draft.monitor}/detection`, body);
      else await post("/manage/v1/rules", { ...body, monitor: draft.monitor, kind: draft.kind });
      saveDone();
      toast(text.saved(draft.name.trim() || defaultName(draft, sentence)));
      navigate("/signals/rules");
    } catch (err) {
      setError(err as Error);
      setBusy(false);
    }
  };
  const isConflict = error instanceof ApiError && error.status === 409;
  return (
    <form class="stack rule-form" onSubmit={save}>
      {!isFixed && (
        <fieldset>
          <legend class="label">{text.kind}</legend>
          <div class="rule-kinds">
            {(["unusual", "threshold", "post"] as RuleKind[]).map((kind) => (
              <button key={kind} type="button" class="rule-choice" aria-pressed={draft.kind === kind} onClick={() => change({ kind })}>
                <strong>{text.kinds[kind]}</strong>
                <span class="small muted">{text.kindHints[kind]}</span>
              </button>
            ))}
          </div>
        </fieldset>
      )}
      <p class="rule-sentence" role="status">
        {sentence}
      </p>
      {detection?.learningUntil && <Notice>{text.learning(dateTime(detection.learningUntil))}</Notice>}
      <div class="columns">
        <div class="c8 stack">
          <Card>
            <div class="stack">
              {!isFixed && (
                <SelectField
                  label={text.monitor}
                  value={String(draft.monitor)}
                  onChange={(id) => change({ monitor: Number(id), filter: "", of: "" })}
                  options={monitors.flatMap((x) => [{ value: String(x.id), name: x.name }, ...x.filters.map((f) => ({ value: String(f.id), name: text.savedFilter(x.name, f.name) }))])}
                />
              )}
              {draft.kind === "unusual" && <UnusualFields draft={draft} change={change} m={m} />}
              {draft.kind === "threshold" && <ThresholdFields draft={draft} change={change} m={m} onOf={setOfName} of={of} />}
              {draft.kind !== "unusual" && m && <PostFilter draft={draft} change={change} m={m} />}
            </div>
          </Card>
          <ChannelFields draft={draft} change={change} team={m?.team} />
          <ScheduleFields draft={draft} change={change} zone={m?.timezone ?? "UTC"} />
          {draft.kind !== "unusual" && <TextField label={text.name} hint={text.nameHint} value={draft.name} placeholder={defaultName(draft, sentence)} onInput={(name) => change({ name })} />}
        </div>
        <div class="c4 stack">
          {detection && detection.expected.length > 0 && (
            <Card>
              {detection.expected.map((w) => (
                <p key={w.hours} class="small num">
                  {text.now(number(w.posts), number(w.low), number(w.high), text.nowHours(w.hours))}
                </p>
              ))}
            </Card>
          )}
          <RulePreview body={isComplete(draft) ? { ...bodyOf(draft, sentence), monitor: draft.monitor, kind: draft.kind } : null} metric={draft.kind === "threshold" ? draft.metric : "posts"} zone={m?.timezone} />
        </div>
      </div>
      {error && <ErrorNotice error={error} undo={isConflict && onReload ? { name: text.conflict, act: onReload } : undefined} />}
      <div class="row">
        <button type="submit" class="button primary" disabled={busy || !isComplete(draft)}>
          {busy ? common.saving : common.actions.save}
        </button>
        <button type="button" class="button" onClick={() => navigate("/signals/rules")}>
          {common.actions.cancel}
        </button>
      </div>
    </form>
  );
}

// useSuggestedLimit fills in the limit of a threshold until people choose one.
function useSuggestedLimit(d: Draft): Draft {
  const isOpen = d.kind === "threshold" && d.value === null && d.monitor > 0;
  const { data } = useLoad(isOpen ? `detection ${d.monitor}` : null, () => get<DetectionInfo>(`/manage/v1/monitors/${d.monitor}/detection`));
  return isOpen && data ? { ...d, value: String(data.limit) } : d;
}

// defaultName returns the name of a rule that people did not name.
const defaultName = (d: Draft, sentence: string) => (d.kind === "unusual" ? rules.unusualTitle : sentence.replace(/^Tell me (when|about) /, "").replace(/\.$/, "").replace(/^./, (c) => c.toUpperCase()).slice(0, 200));

type FieldsProps = { draft: Draft; change: (changes: Partial<Draft>) => void; m?: Monitor };

const unusualKinds: SignalKind[] = ["volume", "negative", "category", "country", "language", "hashtag", "link", "author", "topic"];

// UnusualFields are the sensitivity and what is watched.
function UnusualFields({ draft, change, m }: FieldsProps) {
  const offered = unusualKinds.filter((k) => (k === "category" ? m?.type === "OPINION" : k === "negative" ? m?.type !== "OPINION" : true));
  const watched = draft.kinds.length === 0 ? offered : draft.kinds;
  const toggle = (k: SignalKind, on: boolean) => {
    const kinds = offered.filter((x) => (x === k ? on : watched.includes(x)));
    if (kinds.length > 0) change({ kinds: kinds.length === offered.length ? [] : kinds });
  };
  return (
    <>
      <fieldset class="stack tight">
        <legend class="label">{text.sensitivity}</legend>
        <div class="rule-kinds rates">
          {[1, 12, 52].map((rate) => (
            <button key={rate} type="button" class="rule-choice" aria-pressed={draft.falseAlarms === rate} onClick={() => change({ falseAlarms: rate })}>
              <strong>{text.sensitivities[rate].name}</strong>
              <span class="small muted">{text.sensitivities[rate].note}</span>
            </button>
          ))}
        </div>
        <p class="small muted">{text.sensitivityHint}</p>
      </fieldset>
      <fieldset class="stack tight">
        <legend class="label">{text.watch}</legend>
        <div class="rule-fields">
          {offered.map((k) => (
            <Checkbox key={k} label={signals.kinds[k]} checked={watched.includes(k)} onChange={(on) => toggle(k, on)} />
          ))}
        </div>
      </fieldset>
      <div class="rule-fields">
        <TextField label={text.minPosts} type="number" min={1} value={draft.minPosts} hint={text.minPostsHint} onInput={(minPosts) => change({ minPosts })} />
      </div>
    </>
  );
}

const metrics: Metric[] = ["posts", "authors", "engagement", "reach", "negative", "positive", "category", "country", "language"];

// ThresholdFields are the number, the limit and the window.
function ThresholdFields({ draft, change, m, of, onOf }: FieldsProps & { of: string; onOf: (list: PickerOption[]) => void }) {
  const offered = metrics.filter((k) => (k === "category" ? m?.type === "OPINION" : k === "negative" || k === "positive" ? m?.type !== "OPINION" : true));
  const { data } = useLoad(m ? `choices of ${m.team}` : null, () => choices(m!.team));
  const chosen = draft.of ? [{ id: draft.of, name: of || draft.of }] : [];
  const options: Record<string, PickerOption[] | undefined> = { category: m?.categories.map((c) => ({ id: String(c.id), name: shortCategory(c.name) })), language: data?.languages };
  const windows = [...new Set([...Object.keys(text.windows).map(Number), draft.windowHours])].sort((a, b) => a - b);
  return (
    <div class="rule-fields">
      <SelectField label={text.metric} value={draft.metric} onChange={(v) => change({ metric: v as Metric, of: "", ...(isShare(v as Metric) !== isShare(draft.metric) && { value: isShare(v as Metric) ? "40" : null }) })} options={offered.map((v) => ({ value: v, name: text.metrics[v] }))} />
      {hasOf(draft.metric) && (
        <Picker
          label={text.of[draft.metric]}
          single
          values={chosen}
          options={options[draft.metric]}
          search={draft.metric === "country" ? async (words) => (await findPlaces(words)).filter((p) => !p.id.includes(".")) : undefined}
          onChange={(list) => {
            onOf(list);
            change({ of: list.at(-1)?.id ?? "" });
          }}
        />
      )}
      <Field label={text.side}>
        {() => (
          <SegmentedControl
            label={text.side}
            value={draft.below ? "below" : "above"}
            onChange={(side) => change({ below: side === "below" })}
            options={[
              { value: "above", name: text.above },
              { value: "below", name: text.below },
            ]}
          />
        )}
      </Field>
      <TextField label={isShare(draft.metric) ? text.percent : text.limit} type="number" min={0} max={isShare(draft.metric) ? 100 : undefined} value={draft.value ?? ""} onInput={(value) => change({ value })} />
      <SelectField label={text.window} value={String(draft.windowHours)} onChange={(h) => change({ windowHours: Number(h) })} options={windows.map((h) => ({ value: String(h), name: text.windows[h] ?? text.windows[1].replace("1", String(h)) }))} />
    </div>
  );
}

// useOfName returns the name of the category, country or language of a threshold.
function useOfName(d: Draft, m: Monitor | undefined, chosen: PickerOption[] | undefined): string {
  const { data } = useLoad(d.kind === "threshold" && d.of && m ? `name of ${d.metric} ${d.of} ${m.id}` : null, async () => {
    if (d.metric === "country") return (await placeNames([d.of]))[0]?.name ?? d.of;
    if (d.metric === "language") return (await choices(m!.team)).languages.find((l) => l.id.toLowerCase() === d.of.toLowerCase())?.name ?? d.of;
    return shortCategory(m!.categories.find((c) => String(c.id) === d.of)?.name ?? d.of);
  });
  return d.of ? (chosen?.find((o) => o.id === d.of)?.name ?? data ?? d.of) : "";
}

// PostFilter chooses the posts that a rule is about.
function PostFilter({ draft, change, m }: FieldsProps & { m: Monitor }) {
  const view: FilteredView = {
    filter: parseFilter(draft.filter),
    setFilter: (filter) => change({ filter: formatFilter(filter) }),
    params: { range: "last30", start: "", end: "", filter: draft.filter },
    sub: String(draft.monitor),
  };
  return (
    <div class="stack tight" role="group" aria-label={text.posts}>
      <span class="label">{draft.filter ? text.posts : text.postsOf}</span>
      {!draft.filter && <p class="small muted">{text.anyPost}</p>}
      <div class="row">
        <FilterChips m={m} view={view} />
        <AddFilter m={m} view={view} />
      </div>
    </div>
  );
}

