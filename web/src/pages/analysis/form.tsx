import { type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post } from "../../lib/api";
import { findPlaces, placeNames } from "../../lib/choices";
import { genderNames } from "../../lib/format";
import { navigate } from "../../lib/router";
import type { AnalysisResult, Choice, ChoicesResponse, Lint } from "../../lib/types";
import { Checkbox, Notice, SegmentedControl, SelectField, TextField } from "../../components/basics";
import { Picker, type PickerOption } from "../../components/picker";
import { QueryEditor } from "../../components/queryeditor";
import { kindNames, kinds, lastHours, validate, requestOf, type Draft } from "./request";

const presets = [
  { hours: 1, name: "Last hour" },
  { hours: 6, name: "Last 6 hours" },
  { hours: 24, name: "Last 24 hours" },
];

// AnalysisForm asks what is to be analysed, and shows the answer's page.
export function AnalysisForm({ first, choices }: { first: Draft; choices: ChoicesResponse }) {
  const [draft, setDraft] = useState(first);
  const [lint, setLint] = useState<Lint | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const set = (changes: Partial<Draft>) => setDraft((d) => ({ ...d, ...changes }));
  const submit = async (e: Event) => {
    e.preventDefault();
    const wrong = validate(draft, choices.microblogs) || (lint && !lint.valid ? lint.errors[0]?.message : "");
    setError(wrong ?? "");
    if (wrong) return;
    setBusy(true);
    try {
      const result = await post<AnalysisResult>("/api/results", requestOf(draft));
      navigate(`/analysis/${result.resultId}`);
    } catch (err) {
      setError((err as Error).message);
      setBusy(false);
    }
  };
  return (
    <form class="card stack" onSubmit={submit} aria-label="New analysis" noValidate>
      <QueryEditor label="Keywords" value={draft.keywords} onChange={(keywords) => set({ keywords })} onLint={setLint} placeholder="espresso AND (machine OR grinder)" />
      <Time draft={draft} zones={choices.timezones} set={set} />
      <Sources draft={draft} choices={choices} set={set} />
      <Refinements draft={draft} choices={choices} set={set} />
      <Kinds draft={draft} set={set} />
      {error && <Notice kind="bad">{error}</Notice>}
      <footer>
        <button type="submit" class="button primary" disabled={busy}>
          {busy ? "Analysing…" : "Analyse"}
        </button>
      </footer>
    </form>
  );
}

interface SectionProps {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
}

// Time are the hours that posts are from.
function Time({ draft, zones, set }: SectionProps & { zones: string[] }) {
  return (
    <fieldset class="stack tight">
      <legend class="label">Time, up to 24 hours</legend>
      <div class="row">
        {presets.map((p) => (
          <button key={p.hours} type="button" class="button small" onClick={() => set(lastHours(p.hours, draft.zone))}>
            {p.name}
          </button>
        ))}
      </div>
      <div class="grid three">
        <TextField label="From" type="datetime-local" value={draft.start} onInput={(start) => set({ start })} />
        <TextField label="To" type="datetime-local" value={draft.end} onInput={(end) => set({ end })} hint="Not included" />
        <SelectField label="Time zone" value={draft.zone} options={[...new Set([draft.zone, ...zones])].map((z) => ({ value: z, name: z }))} onChange={(zone) => set({ zone })} hint="Both times are on its clock" />
      </div>
    </fieldset>
  );
}

// Sources are the networks to look at, and the team's own content sources.
function Sources({ draft, choices, set }: SectionProps & { choices: ChoicesResponse }) {
  const all = draft.sources.length === choices.sources.length;
  return (
    <fieldset class="stack tight">
      <legend class="label">Sources</legend>
      <div class="checks">
        {choices.sources.map((s) => (
          <Checkbox key={s} label={s} checked={draft.sources.includes(s)} onChange={(on) => set({ sources: choices.sources.filter((x) => (x === s ? on : draft.sources.includes(x))) })} />
        ))}
      </div>
      <div>
        <button type="button" class="button quiet small" onClick={() => set({ sources: all ? [] : choices.sources })}>
          {all ? "Choose no source" : "Choose all sources"}
        </button>
      </div>
      {choices.contentSources.length + draft.contentSources.length > 0 && (
        <Picker
          label="Own content"
          hint="Content sources of one team"
          values={draft.contentSources.map((name) => ({ id: name, name }))}
          options={choices.contentSources.map((s) => ({ id: s.name, name: s.name }))}
          onChange={(values) => set({ contentSources: values.map((v) => v.id) })}
        />
      )}
    </fieldset>
  );
}

// Refinements are languages, places and gender, wanted or unwanted.
function Refinements({ draft, choices, set }: SectionProps & { choices: ChoicesResponse }) {
  const [places, setPlaces] = useState<PickerOption[]>(draft.places.values.map((id) => ({ id, name: id })));
  useEffect(() => {
    placeNames(draft.places.values).then(setPlaces, () => {}); // ids are shown then
  }, []);
  const languages = (ids: string[]) => ids.map((id) => ({ id, name: id === "all" ? "Any language" : (choices.languages.find((l) => l.id === id)?.name ?? id) }));
  return (
    <fieldset class="grid three">
      <legend class="label">Only some posts (optional)</legend>
      <ChoiceField name="Languages" choice={draft.languages} onType={(type) => set({ languages: { ...draft.languages, type } })}>
        <Picker label="Languages" values={languages(draft.languages.values)} options={choices.languages} placeholder="All" onChange={(v) => set({ languages: { ...draft.languages, values: v.map((x) => x.id) } })} />
      </ChoiceField>
      <ChoiceField name="Places" choice={draft.places} onType={(type) => set({ places: { ...draft.places, type } })}>
        <Picker
          label="Places"
          values={places}
          search={findPlaces}
          placeholder="All; type a country or a city"
          onChange={(v) => {
            setPlaces(v);
            set({ places: { ...draft.places, values: v.map((x) => x.id) } });
          }}
        />
      </ChoiceField>
      <ChoiceField name="Gender" choice={draft.gender} onType={(type) => set({ gender: { ...draft.gender, type } })}>
        <Picker label="Gender of the author" values={draft.gender.values.map((id) => ({ id, name: genderNames[id] ?? id }))} options={Object.entries(genderNames).map(([id, name]) => ({ id, name }))} placeholder="Any" onChange={(v) => set({ gender: { ...draft.gender, values: v.map((x) => x.id) } })} />
      </ChoiceField>
    </fieldset>
  );
}

// ChoiceField is a picker with the choice of whether its values are wanted or unwanted, once there are some.
function ChoiceField({ name, choice, onType, children }: { name: string; choice: Choice; onType: (type: Choice["type"]) => void; children: ComponentChildren }) {
  return (
    <div class="stack tight">
      {children}
      {choice.values.length > 0 && (
        <div>
          <SegmentedControl
            small
            label={`${name}: which posts`}
            value={choice.type}
            options={[
              { value: "include", name: "Only these" },
              { value: "exclude", name: "All but these" },
            ]}
            onChange={onType}
          />
        </div>
      )}
    </div>
  );
}

// Kinds are what is told of the posts.
function Kinds({ draft, set }: SectionProps) {
  return (
    <fieldset class="stack tight">
      <legend class="label">What to tell of the posts</legend>
      <div class="checks">
        {kinds.map((k) => (
          <Checkbox key={k} label={kindNames[k]} checked={draft.kinds.includes(k)} onChange={(on) => set({ kinds: kinds.filter((x) => (x === k ? on : draft.kinds.includes(x))) })} />
        ))}
      </div>
    </fieldset>
  );
}
