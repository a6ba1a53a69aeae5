import { useEffect, useState } from "preact/hooks";
import { choices, findPlaces, placeNames } from "../lib/choices";
import { fields, withoutValue, withValue, withKeywords, type Filter, type FilterField } from "../lib/filter";
import { ageNames, genderNames, hour, weekdayNames } from "../lib/format";
import { shortCategory } from "../lib/color";
import type { Category, ChoicesResponse } from "../lib/types";
import { SelectField, TextField } from "./basics";
import { Icon } from "./icon";
import { Picker, type PickerOption } from "./picker";
import { Popover } from "./popover";
import { common } from "../strings/common";

interface Props {
  filter: Filter;
  categories: Category[]; // categories and emotions, which the field category selects by id
  names?: Record<string, string>; // names of interests, images and logos by field and id, for example "interest:12" → "Coffee"
  team: number;
  onChange: (filter: Filter) => void;
}

// FilterBar shows the filter of a view as chips, and adds and removes values.
export function FilterBar({ filter, categories, names = {}, team, onChange }: Props) {
  const [placesById, setPlacesById] = useState<Record<string, string>>({});
  const places = (filter.geolocation ?? []).join(";");
  useEffect(() => {
    if (!places) return;
    placeNames(places.split(";"))
      .then((list) => setPlacesById((k) => ({ ...k, ...Object.fromEntries(list.map((p) => [`geolocation:${p.id}`, p.name])) })))
      .catch(() => {}); // the chips show ids instead
  }, [places]);
  const [languages, setLanguages] = useState<ChoicesResponse["languages"]>([]);
  useEffect(() => {
    if (filter.language) choices(team).then((c) => setLanguages(c.languages), () => {});
  }, [filter.language?.length]);
  const show = (field: FilterField, value: string): string => {
    switch (field) {
      case "category":
        return shortCategory(categories.find((c) => String(c.id) === value)?.name ?? value);
      case "gender":
        return genderNames[value.toUpperCase()] ?? value;
      case "age":
        return ageNames[value] ?? value;
      case "language":
        return languages.find((l) => l.id.toLowerCase() === value.toLowerCase())?.name ?? value;
      case "hour":
        return hour(Number(value));
      case "engagement":
        return common.postTypes[value.toUpperCase()] ?? value;
      case "hashtag":
        return `#${value}`;
      default:
        return names[`${field}:${value}`] ?? placesById[`${field}:${value}`] ?? value;
    }
  };
  const chips = (Object.keys(filter) as FilterField[]).flatMap((field) => (filter[field] ?? []).map((value) => ({ field, value })));
  return (
    <div class="filterbar" role="group" aria-label={common.filter.label}>
      <Popover
        label={common.filter.add}
        button={
          <>
            <Icon name="filter" />
            {common.filter.button}
          </>
        }
      >
        {(close) => (
          <AddFilter
            team={team}
            categories={categories}
            onAdd={(field, value) => {
              onChange(field === "keywords" ? withKeywords(filter, value) : withValue(filter, field, value));
              close();
            }}
          />
        )}
      </Popover>
      {chips.map(({ field, value }) => (
        <span key={`${field}:${value}`} class="chip">
          <span class="clip">
            <span class="muted">{fields[field]}:</span> {show(field, value)}
          </span>
          <button type="button" aria-label={common.filter.removeValue(fields[field], show(field, value))} onClick={() => onChange(withoutValue(filter, field, value))}>
            ×
          </button>
        </span>
      ))}
      {chips.length > 1 && (
        <button type="button" class="button quiet small" onClick={() => onChange({})}>
          {common.actions.clearAll}
        </button>
      )}
    </div>
  );
}

const addableFields: FilterField[] = ["keywords", "category", "language", "geolocation", "source", "site", "author", "gender", "age", "hashtag", "engagement", "weekday", "hour"];

const fixedOptions: Partial<Record<FilterField, PickerOption[]>> = {
  gender: Object.entries(genderNames).map(([id, name]) => ({ id, name })),
  age: Object.entries(ageNames).map(([id, name]) => ({ id, name })),
  weekday: weekdayNames.map((id) => ({ id, name: id })),
  hour: Array.from({ length: 24 }, (_, h) => ({ id: String(h), name: hour(h) })),
  engagement: Object.entries(common.postTypes).map(([id, name]) => ({ id, name })),
};

// AddFilter is the form that adds a value to the filter.
function AddFilter({ categories, team, onAdd }: { categories: Category[]; team: number; onAdd: (field: FilterField, value: string) => void }) {
  const [field, setField] = useState<FilterField>("keywords");
  const [text, setText] = useState("");
  const [all, setAll] = useState<ChoicesResponse>();
  useEffect(() => {
    choices(team).then(setAll, () => {});
  }, [team]);
  const options: Partial<Record<FilterField, PickerOption[]>> = {
    ...fixedOptions,
    category: categories.map((c) => ({ id: String(c.id), name: shortCategory(c.name) })),
    language: all?.languages,
    source: all && [...all.sources, ...all.contentSources.map((s) => s.name)].map((name) => ({ id: name, name })),
  };
  return (
    <form
      class="stack tight"
      style={{ padding: "0.5rem", width: "18rem" }}
      onSubmit={(e) => {
        e.preventDefault();
        if (text.trim()) onAdd(field, text.trim().replace(field === "hashtag" ? /^#/ : /^$/, ""));
      }}
    >
      <SelectField label={common.filter.filterBy} value={field} onChange={(f) => setField(f as FilterField)} options={addableFields.map((f) => ({ value: f, name: fields[f] }))} />
      {field === "geolocation" ? (
        <Picker key={field} label={fields.geolocation} values={[]} single search={findPlaces} placeholder={common.filter.locationPlaceholder} onChange={(v) => onAdd(field, v[0].id)} />
      ) : options[field] ? (
        <Picker key={field} label={fields[field]} values={[]} single options={options[field]} placeholder={field === "category" ? common.filter.categoryPlaceholder : undefined} onChange={(v) => onAdd(field, v[0].id)} />
      ) : (
        <>
          <TextField label={fields[field]} value={text} onInput={setText} hint={common.filter.hints[field]} />
          <button type="submit" class="button primary" disabled={!text.trim()}>
            {common.actions.add}
          </button>
        </>
      )}
    </form>
  );
}
