import { useEffect, useState } from "preact/hooks";
import { choices, findPlaces, placeNames } from "../../lib/choices";
import type { Choice, ChoicesResponse } from "../../lib/types";
import { SegmentedControl, SelectField } from "../../components/basics";
import { Picker, type PickerOption } from "../../components/picker";
import { genderNames } from "../../lib/format";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";
import type { Criteria } from "./draft";

interface Props {
  value: Criteria;
  onChange: (changes: Partial<Criteria>) => void;
  team: number;
  sources?: boolean; // whether to offer a choice of sources; default true
}

// CriteriaFields edits the criteria of a monitor or filter other than its query: languages,
// locations, sources, gender.
export function CriteriaFields({ value, onChange, team, sources = true }: Props) {
  const [all, setAll] = useState<ChoicesResponse>();
  useEffect(() => {
    choices(team).then(setAll, () => {}); // on failure the current values are still shown
  }, [team]);
  const languages = all?.languages ?? [];
  const sourceOptions = all ? [...all.sources.map((name) => ({ id: name, name, note: edit.networkNote })), ...all.contentSources.map((s) => ({ id: s.name, name: s.name, note: edit.contentSourceNote }))] : [];
  return (
    <div class="criteria">
      <ChoiceField
        label={common.words.languages}
        placeholder={edit.allLanguages}
        choice={value.languages}
        names={(id) => languages.find((l) => l.id === id.toLowerCase())?.name ?? id}
        options={languages}
        onChange={(languages) => onChange({ languages })}
      />
      <Locations choice={value.geolocations} onChange={(geolocations) => onChange({ geolocations })} />
      {sources && (
        <Picker
          label={common.words.sources}
          placeholder={edit.allSources}
          hint={edit.sourcesHint}
          values={value.sources.map((name) => ({ id: name, name }))}
          options={sourceOptions}
          onChange={(list) => onChange({ sources: list.map((s) => s.id) })}
        />
      )}
      <SelectField
        label={edit.gender}
        value={value.gender}
        onChange={(gender) => onChange({ gender: gender as Criteria["gender"] })}
        options={[
          { value: "", name: edit.anyGender },
          { value: "F", name: genderNames.F },
          { value: "M", name: genderNames.M },
        ]}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  choice: Choice;
  names: (id: string) => string;
  options?: PickerOption[];
  search?: (text: string) => Promise<PickerOption[]>;
  placeholder: string;
  onChange: (choice: Choice, taken: PickerOption[]) => void;
}

// ChoiceField chooses the values that posts must have, or must not have.
function ChoiceField({ label, choice, names, options, search, placeholder, onChange }: ChoiceProps) {
  const hint = choice.values.length === 0 ? undefined : choice.type === "include" ? edit.includeHint : edit.excludeHint;
  return (
    <div class="choice">
      <Picker
        label={label}
        placeholder={placeholder}
        hint={hint}
        values={choice.values.map((id) => ({ id: options?.find((o) => o.id === id.toLowerCase())?.id ?? id, name: names(id) }))}
        options={options}
        search={search}
        onChange={(list) => onChange({ ...choice, values: list.map((v) => v.id) }, list)}
      />
      <SegmentedControl
        small
        label={edit.includeOrExclude(label)}
        value={choice.type}
        options={[
          { value: "include", name: edit.include },
          { value: "exclude", name: edit.exclude },
        ]}
        onChange={(type) => onChange({ ...choice, type }, [])}
      />
    </div>
  );
}

// Locations chooses locations. A monitor stores their ids; the names are loaded from the server.
function Locations({ choice, onChange }: { choice: Choice; onChange: (choice: Choice) => void }) {
  const [namesById, setNamesById] = useState<Record<string, string>>({});
  const learn = (list: PickerOption[]) => setNamesById((k) => ({ ...k, ...Object.fromEntries(list.map((p) => [p.id, p.name])) }));
  useEffect(() => {
    placeNames(choice.values).then(learn, () => {}); // on failure the ids are shown
  }, []);
  return (
    <ChoiceField
      label={common.words.locations}
      placeholder={edit.allLocations}
      choice={choice}
      names={(id) => namesById[id] ?? id}
      search={findPlaces}
      onChange={(next, taken) => {
        learn(taken);
        onChange(next);
      }}
    />
  );
}
