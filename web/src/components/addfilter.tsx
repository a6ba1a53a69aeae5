import { useEffect, useId, useState } from "preact/hooks";
import { get, urlOf } from "../lib/api";
import { choices, findPlaces } from "../lib/choices";
import { shortCategory } from "../lib/color";
import { fields, rangeFields, withValue, type FilterField } from "../lib/filter";
import { ageNames, genderNames, hour, languageName, number, weekdayNames } from "../lib/format";
import { useLoad } from "../lib/load";
import { membersOf, tagsOf } from "../lib/members";
import type { ChoicesResponse, Overview } from "../lib/types";
import type { FilteredView } from "../lib/view";
import { Field, SegmentedControl, SelectField, TextField } from "./basics";
import type { Filtered } from "./filterchips";
import { Icon } from "./icon";
import { Picker, type PickerOption } from "./picker";
import { Popover } from "./popover";
import { common } from "../strings/common";

const text = common.filter;

export type Options = Partial<Record<FilterField, PickerOption[]>>;

const addable: FilterField[] = [
  "keywords", "sentiment", "emotion", "category", "source", "language", "geolocation", "author", "site", "hashtag", "interest", "image", "brand",
  "gender", "age", "engagement", "weekday", "hour", "followers", "likes", "shares", "comments", "interactions", "own",
  "starred", "tag", "assigned", "corrected",
];

// Any text is a value of these fields. Others have options.
const freeFields: FilterField[] = ["keywords", "author", "site", "hashtag"];

// isSwitch reports whether a field has two values that exclude each other, so that it needs no
// negation.
const isSwitch = (field: FilterField) => ["own", "starred", "corrected"].includes(field);

const optionsOf = (names: Record<string, string>): PickerOption[] => Object.entries(names).map(([id, name]) => ({ id, name }));

const fixedOptions: Options = {
  sentiment: optionsOf(text.sentiments),
  emotion: optionsOf(text.emotions),
  gender: optionsOf(genderNames),
  age: optionsOf(ageNames),
  weekday: weekdayNames.map((id) => ({ id, name: id })),
  hour: Array.from({ length: 24 }, (_, h) => ({ id: String(h), name: hour(h) })),
  engagement: optionsOf(common.postTypes),
  own: optionsOf(text.own),
  starred: optionsOf(text.yesNo),
  corrected: optionsOf(text.yesNo),
};

// monitorFields need a monitor: its own accounts, and the marks of its team. The overview of a monitor
// has the images and logos of its posts.
const monitorFields: FilterField[] = ["own", "starred", "tag", "assigned", "image", "brand"];

interface Props {
  m: Filtered & { ownAccounts?: string[] };
  view: FilteredView;
  options?: Options; // of an analysis, which has no overview
}

// AddFilter is a button that opens the form to add a condition to the filter of a view.
export function AddFilter(props: Props) {
  return (
    <Popover
      label={text.add}
      button={
        <>
          <Icon name="filter" />
          {text.button}
        </>
      }
    >
      {(close) => <FilterForm {...props} close={close} />}
    </Popover>
  );
}

function FilterForm({ m, view, options: given, close }: Props & { close: () => void }) {
  const [field, setField] = useState<FilterField>("keywords");
  const [negated, setNegated] = useState(false);
  const options = useOptions(m, view, given);
  const isRange = rangeFields.includes(field);
  const add = (value: string) => {
    view.setFilter(withValue(view.filter, negated && !isSwitch(field) ? `-${field}` : field, value));
    close();
  };
  const isOffered = (f: FilterField) => (f !== "category" || m.type === "OPINION") && (f !== "own" || !!m.ownAccounts?.length) && (m.id !== undefined || !monitorFields.includes(f));
  const offered = addable.filter(isOffered);
  return (
    <div class="stack tight filterform">
      <SelectField label={text.filterBy} value={field} onChange={(f) => setField(f as FilterField)} options={offered.map((f) => ({ value: f, name: fields[f] }))} />
      {!isSwitch(field) && (
        <SegmentedControl
          label={text.condition}
          small
          value={negated ? "not" : "is"}
          options={[
            { value: "is", name: text.is },
            { value: "not", name: text.isNot },
          ]}
          onChange={(v) => setNegated(v === "not")}
        />
      )}
      {isRange ? (
        <RangeForm key={field} field={field} onAdd={add} />
      ) : freeFields.includes(field) ? (
        <TextForm key={field} field={field} options={options[field] ?? []} onAdd={add} />
      ) : (
        <Picker
          key={field}
          label={fields[field]}
          values={[]}
          single
          options={options[field]}
          search={field === "geolocation" ? findPlaces : undefined}
          placeholder={field === "geolocation" ? text.locationPlaceholder : text.optionPlaceholder}
          hint={options[field]?.length === 0 && field !== "geolocation" ? text.noOptions : undefined}
          onChange={(v) => add(v[0].id)}
        />
      )}
    </div>
  );
}

// TextForm adds a value that the user types, or one of those of the posts on the page.
function TextForm({ field, options, onAdd }: { field: FilterField; options: PickerOption[]; onAdd: (value: string) => void }) {
  const [value, setValue] = useState("");
  const list = useId();
  return (
    <form
      class="stack tight"
      onSubmit={(e) => {
        e.preventDefault();
        if (value.trim()) onAdd(value.trim().replace(field === "hashtag" ? /^#/ : /^$/, ""));
      }}
    >
      <Field label={fields[field]} hint={text.hints[field]}>
        {(id, described) => <input id={id} value={value} list={options.length ? list : undefined} autocomplete="off" aria-describedby={described} onInput={(e) => setValue(e.currentTarget.value)} />}
      </Field>
      <datalist id={list}>
        {options.map((o) => (
          <option key={o.id} value={o.id}>
            {o.note}
          </option>
        ))}
      </datalist>
      <button type="submit" class="button primary" disabled={!value.trim()}>
        {common.actions.add}
      </button>
    </form>
  );
}

// RangeForm adds a range of numbers.
function RangeForm({ field, onAdd }: { field: FilterField; onAdd: (value: string) => void }) {
  const [min, setMin] = useState("");
  const [max, setMax] = useState("");
  const wrong = min !== "" && max !== "" && Number(min) > Number(max);
  const valid = (min !== "" || max !== "") && !wrong && /^\d*$/.test(min) && /^\d*$/.test(max);
  return (
    <form
      class="stack tight"
      onSubmit={(e) => {
        e.preventDefault();
        if (valid) onAdd(`${min}..${max}`);
      }}
    >
      <div class="pair">
        <TextField label={text.atLeast} type="number" min={0} value={min} onInput={setMin} hint={text.hints[field]} />
        <TextField label={text.atMost} type="number" min={0} value={max} onInput={setMax} error={wrong ? text.minOverMax : undefined} />
      </div>
      <button type="submit" class="button primary" disabled={!valid}>
        {common.actions.add}
      </button>
    </form>
  );
}

const optionParts = "categories,emotions,sources,languages,hashtags,sites,authors,places,interests,images,genders,ages,engagement";

// useOptions returns the values to choose from, those of the posts on the page first. Without a
// monitor, these are the given ones.
function useOptions(m: Filtered, view: FilteredView, given?: Options): Options {
  const path = `/manage/v1/monitors/${view.sub || m.id}/overview`;
  const query = { ...view.params, parts: optionParts };
  const { data } = useLoad(m.id === undefined ? null : `options ${urlOf(path, query)}`, (signal) => get<Overview>(path, query, signal));
  const [all, setAll] = useState<ChoicesResponse>();
  useEffect(() => {
    choices(m.team).then(setAll, () => {});
  }, [m.team]);
  const { data: marked } = useLoad(m.id === undefined ? null : `options of team ${m.team}`, async (): Promise<Options> => {
    const [tags, members] = await Promise.all([tagsOf(m.team), membersOf(m.team)]);
    return {
      tag: tags.map((t) => ({ id: t.name, name: t.name, note: number(t.posts) })),
      assigned: [...optionsOf(text.assigned), ...members.map((p) => ({ id: p.username, name: p.name }))],
    };
  });
  const found = given ?? (data ? optionsIn(data) : {});
  const known: Options = {
    ...fixedOptions,
    ...marked,
    category: m.categories.map((c) => ({ id: String(c.id), name: shortCategory(c.name) })),
    language: all?.languages,
    source: all && [...all.sources, ...all.contentSources.map((s) => s.name)].map((name) => ({ id: name, name })),
  };
  const merge = (field: FilterField): PickerOption[] | undefined => {
    const same = (a: PickerOption, b: PickerOption) => a.id.toLowerCase() === b.id.toLowerCase();
    const first = (found[field] ?? []).map((o) => ({ ...o, name: known[field]?.find((k) => same(k, o))?.name ?? o.name }));
    const rest = (known[field] ?? []).filter((k) => !first.some((o) => same(k, o)));
    return found[field] || known[field] ? [...first, ...rest] : undefined;
  };
  return Object.fromEntries(addable.map((field) => [field, merge(field)]));
}

// optionsIn returns the values that an overview counts, with the numbers of posts.
function optionsIn(o: Overview): Options {
  const list = (items: { id?: string | number; name?: string; posts: number }[], prefix = ""): PickerOption[] =>
    items.filter((x) => x.posts > 0).map((x) => ({ id: String(x.id ?? x.name), name: prefix + (x.name ?? x.id), note: number(x.posts) }));
  const byName = (items: { name: string; posts: number }[]) => list(items.map((x) => ({ id: shortCategory(x.name).toLowerCase(), name: shortCategory(x.name), posts: x.posts })));
  const isOpinion = o.monitor.type === "OPINION";
  return {
    sentiment: isOpinion ? undefined : byName(o.categories),
    category: isOpinion ? list(o.categories) : undefined,
    emotion: byName(o.emotions),
    source: list(o.sources),
    language: list(o.languages.map((l) => ({ ...l, name: languageName(l.id) }))),
    hashtag: list(o.hashtags, "#"),
    site: list(o.sites),
    author: list(o.authors.top),
    geolocation: list([...o.places.countries, ...o.places.states, ...o.places.cities]),
    interest: list(o.interests),
    image: list(o.images.classes),
    brand: list(o.images.brands),
    gender: list(o.genders),
    age: list(o.ages),
    engagement: list(o.engagement),
  };
}
