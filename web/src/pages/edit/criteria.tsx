import { useEffect, useState } from "preact/hooks";
import { choices, findPlaces, placeNames } from "../../lib/choices";
import type { Choice, ChoicesResponse } from "../../lib/types";
import { SegmentedControl, SelectField } from "../../components/basics";
import { Picker, type PickerOption } from "../../components/picker";
import type { Criteria } from "./draft";

interface Props {
  value: Criteria;
  onChange: (changes: Partial<Criteria>) => void;
  team: number;
  sources?: boolean; // false: they cannot be chosen
}

// CriteriaFields narrow what a monitor or a filter selects beside its query: languages, places, sources, gender.
export function CriteriaFields({ value, onChange, team, sources = true }: Props) {
  const [all, setAll] = useState<ChoicesResponse>();
  useEffect(() => {
    choices(team).then(setAll, () => {}); // without them, what is chosen is still shown
  }, [team]);
  const languages = all?.languages ?? [];
  const sourceOptions = all ? [...all.sources.map((name) => ({ id: name, name, note: "Network" })), ...all.contentSources.map((s) => ({ id: s.name, name: s.name, note: "Own content" }))] : [];
  return (
    <div class="criteria">
      <ChoiceField
        label="Languages"
        choice={value.languages}
        names={(id) => languages.find((l) => l.id === id.toLowerCase())?.name ?? id}
        options={languages}
        onChange={(languages) => onChange({ languages })}
      />
      <Places choice={value.geolocations} onChange={(geolocations) => onChange({ geolocations })} />
      {sources && (
        <Picker
          label="Sources"
          placeholder="All sources"
          hint="Networks and content sources of the team."
          values={value.sources.map((name) => ({ id: name, name }))}
          options={sourceOptions}
          onChange={(list) => onChange({ sources: list.map((s) => s.id) })}
        />
      )}
      <SelectField
        label="Gender of the author"
        value={value.gender}
        onChange={(gender) => onChange({ gender: gender as Criteria["gender"] })}
        options={[
          { value: "", name: "Any" },
          { value: "F", name: "Female" },
          { value: "M", name: "Male" },
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
  placeholder?: string;
  onChange: (choice: Choice, taken: PickerOption[]) => void;
}

// ChoiceField chooses values that posts must have, or must not have.
function ChoiceField({ label, choice, names, options, search, placeholder = `All ${label.toLowerCase()}`, onChange }: ChoiceProps) {
  const hint = choice.values.length === 0 ? undefined : choice.type === "include" ? "Posts for which it is not known are left out." : "Posts for which it is not known are kept.";
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
        label={`${label}: include or exclude`}
        value={choice.type}
        options={[
          { value: "include", name: "Only these" },
          { value: "exclude", name: "All but these" },
        ]}
        onChange={(type) => onChange({ ...choice, type }, [])}
      />
    </div>
  );
}

// Places is the choice of places, whose names are asked for by their ids.
function Places({ choice, onChange }: { choice: Choice; onChange: (choice: Choice) => void }) {
  const [namesById, setNamesById] = useState<Record<string, string>>({});
  const learn = (list: PickerOption[]) => setNamesById((k) => ({ ...k, ...Object.fromEntries(list.map((p) => [p.id, p.name])) }));
  useEffect(() => {
    placeNames(choice.values).then(learn, () => {}); // ids are shown then
  }, []);
  return (
    <ChoiceField
      label="Places"
      placeholder="Everywhere: type a country or a city"
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
