import { type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post, urlOf } from "../../lib/api";
import { findPlaces, placeNames } from "../../lib/choices";
import { genderNames } from "../../lib/format";
import type { PendingQuery } from "../../lib/queryform";
import { Link, navigate } from "../../lib/router";
import type { AnalysisResult, Choice, ChoicesResponse, Lint } from "../../lib/types";
import { Checkbox, Notice, SegmentedControl, SelectField, TextField } from "../../components/basics";
import { Picker, type PickerOption } from "../../components/picker";
import { QueryEditor } from "../../components/queryeditor";
import { analysis } from "../../strings/analysis";
import { common } from "../../strings/common";
import { kinds, lastHours, validate, requestOf, type Draft } from "./request";

const presets = [1, 6, 24]; // hours

// AnalysisForm starts an analysis and goes to its result.
export function AnalysisForm({ first, choices }: { first: Draft; choices: ChoicesResponse }) {
  const [draft, setDraft] = useState(first);
  const [lint, setLint] = useState<Lint | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const pending: PendingQuery = useRef(null);
  const set = (changes: Partial<Draft>) => setDraft((d) => ({ ...d, ...changes }));
  const submit = async (e: Event) => {
    e.preventDefault();
    const written = pending.current;
    const wrong = validate(written ? { ...draft, keywords: "pending" } : draft, choices.microblogs) || (lint && !lint.valid ? lint.errors[0]?.message : "");
    setError(wrong ?? "");
    if (wrong) return;
    setBusy(true);
    try {
      const result = await post<AnalysisResult>("/api/results", requestOf(written ? { ...draft, keywords: await written } : draft));
      navigate(`/analysis/${result.resultId}`);
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  return (
    <form class="card stack" onSubmit={submit} aria-label={analysis.newAnalysis} noValidate>
      <QueryEditor label={analysis.keywords} value={draft.keywords} onChange={(keywords) => set({ keywords })} onLint={setLint} pending={pending} placeholder={analysis.keywordsExample} />
      <Time draft={draft} zones={choices.timezones} set={set} />
      <Sources draft={draft} choices={choices} set={set} />
      <Refinements draft={draft} choices={choices} set={set} />
      <Kinds draft={draft} set={set} />
      {error && (
        <Notice kind="bad">
          {error}{" "}
          {error === analysis.invalid.tooLong && <Link href={urlOf("/monitors/new", { keywords: draft.keywords.trim() })}>{analysis.invalid.createMonitor}</Link>}
        </Notice>
      )}
      <footer>
        <button type="submit" class="button primary" disabled={busy}>
          {busy ? analysis.analyzing : analysis.analyze}
        </button>
      </footer>
    </form>
  );
}

interface SectionProps {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
}

// Time edits the time range.
function Time({ draft, zones, set }: SectionProps & { zones: string[] }) {
  return (
    <fieldset class="stack tight">
      <legend class="label">{analysis.timeRangeLegend}</legend>
      <div class="row">
        {presets.map((hours) => (
          <button key={hours} type="button" class="button small" onClick={() => set(lastHours(hours, draft.zone))}>
            {analysis.lastHours(hours)}
          </button>
        ))}
      </div>
      <div class="grid three">
        <TextField label={analysis.from} type="datetime-local" value={draft.start} onInput={(start) => set({ start })} />
        <TextField label={analysis.to} type="datetime-local" value={draft.end} onInput={(end) => set({ end })} hint={analysis.toHint} />
        <SelectField label={common.words.timezone} value={draft.zone} options={[...new Set([draft.zone, ...zones])].map((z) => ({ value: z, name: z }))} onChange={(zone) => set({ zone })} hint={analysis.timezoneHint} />
      </div>
    </fieldset>
  );
}

// Sources chooses networks and content sources.
function Sources({ draft, choices, set }: SectionProps & { choices: ChoicesResponse }) {
  const all = draft.sources.length === choices.sources.length;
  return (
    <fieldset class="stack tight">
      <legend class="label">{common.words.sources}</legend>
      <div class="checks">
        {choices.sources.map((s) => (
          <Checkbox key={s} label={s} checked={draft.sources.includes(s)} onChange={(on) => set({ sources: choices.sources.filter((x) => (x === s ? on : draft.sources.includes(x))) })} />
        ))}
      </div>
      <div>
        <button type="button" class="button quiet small" onClick={() => set({ sources: all ? [] : choices.sources })}>
          {all ? common.actions.clearAll : analysis.selectAll}
        </button>
      </div>
      {choices.contentSources.length + draft.contentSources.length > 0 && (
        <Picker
          label={analysis.contentSources}
          hint={analysis.contentSourcesHint}
          values={draft.contentSources.map((name) => ({ id: name, name }))}
          options={choices.contentSources.map((s) => ({ id: s.name, name: s.name }))}
          onChange={(values) => set({ contentSources: values.map((v) => v.id) })}
        />
      )}
    </fieldset>
  );
}

// Refinements includes or excludes languages, locations and genders.
function Refinements({ draft, choices, set }: SectionProps & { choices: ChoicesResponse }) {
  const [places, setPlaces] = useState<PickerOption[]>(draft.places.values.map((id) => ({ id, name: id })));
  useEffect(() => {
    placeNames(draft.places.values).then(setPlaces, () => {}); // on failure the ids are shown
  }, []);
  const languages = (ids: string[]) => ids.map((id) => ({ id, name: id === "all" ? analysis.anyLanguage : (choices.languages.find((l) => l.id === id)?.name ?? id) }));
  return (
    <fieldset class="grid three">
      <legend class="label">{analysis.refinements}</legend>
      <ChoiceField name={common.words.languages} choice={draft.languages} onType={(type) => set({ languages: { ...draft.languages, type } })}>
        <Picker label={common.words.languages} values={languages(draft.languages.values)} options={choices.languages} placeholder={analysis.allLanguages} onChange={(v) => set({ languages: { ...draft.languages, values: v.map((x) => x.id) } })} />
      </ChoiceField>
      <ChoiceField name={common.words.locations} choice={draft.places} onType={(type) => set({ places: { ...draft.places, type } })}>
        <Picker
          label={common.words.locations}
          values={places}
          search={findPlaces}
          placeholder={analysis.allLocations}
          onChange={(v) => {
            setPlaces(v);
            set({ places: { ...draft.places, values: v.map((x) => x.id) } });
          }}
        />
      </ChoiceField>
      <ChoiceField name={common.words.gender} choice={draft.gender} onType={(type) => set({ gender: { ...draft.gender, type } })}>
        <Picker label={analysis.gender} values={draft.gender.values.map((id) => ({ id, name: genderNames[id] ?? id }))} options={Object.entries(genderNames).map(([id, name]) => ({ id, name }))} placeholder={analysis.anyGender} onChange={(v) => set({ gender: { ...draft.gender, values: v.map((x) => x.id) } })} />
      </ChoiceField>
    </fieldset>
  );
}

// ChoiceField adds to a picker the choice to include or exclude its values, once there are some.
function ChoiceField({ name, choice, onType, children }: { name: string; choice: Choice; onType: (type: Choice["type"]) => void; children: ComponentChildren }) {
  return (
    <div class="stack tight">
      {children}
      {choice.values.length > 0 && (
        <div>
          <SegmentedControl
            small
            label={analysis.includeOrExclude(name)}
            value={choice.type}
            options={[
              { value: "include", name: analysis.include },
              { value: "exclude", name: analysis.exclude },
            ]}
            onChange={onType}
          />
        </div>
      )}
    </div>
  );
}

// Kinds chooses the parts of the result.
function Kinds({ draft, set }: SectionProps) {
  return (
    <fieldset class="stack tight">
      <legend class="label">{analysis.results}</legend>
      <div class="checks">
        {kinds.map((k) => (
          <Checkbox key={k} label={analysis.kinds[k]} checked={draft.kinds.includes(k)} onChange={(on) => set({ kinds: kinds.filter((x) => (x === k ? on : draft.kinds.includes(x))) })} />
        ))}
      </div>
    </fieldset>
  );
}
