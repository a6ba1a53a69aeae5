import { useEffect, useState } from "preact/hooks";
import { get, urlOf } from "../lib/api";
import { choices, placeNames } from "../lib/choices";
import { shortCategory } from "../lib/color";
import { fieldOf, fields, filterKeys, isNegated, negate, rangeFields, withoutValue, type FilterKey } from "../lib/filter";
import { ageNames, capitalize, genderNames, hour, localDateTime, number } from "../lib/format";
import { useLoad } from "../lib/load";
import type { ChoicesResponse, Monitor, Overview } from "../lib/types";
import type { FilteredView } from "../lib/view";
import { common } from "../strings/common";

const text = common.filter;

// A Filtered is what a filter is applied to: a monitor, or an analysis, which has no id.
export type Filtered = Pick<Monitor, "type" | "team" | "categories" | "emotions"> & { id?: number };

// FilterChips shows the filter of a view as chips. A click on a chip excludes its value, or includes
// it again.
export function FilterChips({ m, view, names, ownSwitch = false }: { m: Filtered; view: FilteredView; names?: Record<string, string>; ownSwitch?: boolean }) {
  const { filter, setFilter } = view;
  const show = useValueNames(m, view, names);
  const hasSwitch = (key: FilterKey, value: string) => ownSwitch && key === "own" && value === "exclude"; // which phones scroll out of view
  const chips = filterKeys(filter).flatMap((key) => filter[key]!.map((value) => ({ key, value })));
  if (chips.length === 0) return null;
  return (
    <div class="filterbar" role="group" aria-label={text.label}>
      {chips.map(({ key, value }) => {
        const label = labelOf(m, key, value);
        const name = isNegated(key) ? text.not(show(key, value)) : show(key, value);
        return (
          <span key={`${key}:${value}`} class={`chip ${isNegated(key) ? "negated" : hasSwitch(key, value) ? "by-switch" : ""}`}>
            <button type="button" class="clip" title={(isNegated(key) ? text.include : text.exclude)(`${label}: ${name}`)} onClick={() => setFilter(negate(filter, key, value))}>
              <span class="muted">{label}:</span> {name}
            </button>
            <button type="button" aria-label={text.removeValue(label, name)} onClick={() => setFilter(withoutValue(filter, key, value))}>
              ×
            </button>
          </span>
        );
      })}
      {chips.length > 1 && (
        <button type="button" class="button quiet small" onClick={() => setFilter({})}>
          {common.actions.clearAll}
        </button>
      )}
    </div>
  );
}

// labelOf returns the label of a chip. Categories of most monitors are sentiments or emotions.
function labelOf(m: Filtered, key: FilterKey, value: string): string {
  const field = fieldOf(key);
  if (field !== "category") return fields[field];
  if (m.emotions.some((c) => String(c.id) === value)) return fields.emotion;
  return m.type === "OPINION" ? fields.category : fields.sentiment;
}

// useValueNames returns a function that returns the name of a filter value. It loads names that the
// page does not have.
function useValueNames(m: Filtered, view: FilteredView, names: Record<string, string> | undefined): (key: FilterKey, value: string) => string {
  const { filter } = view;
  const [placesById, setPlacesById] = useState<Record<string, string>>({});
  const places = [...(filter.geolocation ?? []), ...(filter["-geolocation"] ?? [])].join(";");
  useEffect(() => {
    if (!places) return;
    placeNames(places.split(";"))
      .then((list) => setPlacesById((k) => ({ ...k, ...Object.fromEntries(list.map((p) => [`geolocation:${p.id}`, p.name])) })))
      .catch(() => {}); // the chips show ids instead
  }, [places]);
  const [languages, setLanguages] = useState<ChoicesResponse["languages"]>([]);
  const hasLanguage = !!filter.language || !!filter["-language"];
  useEffect(() => {
    if (hasLanguage) choices(m.team).then((c) => setLanguages(c.languages), () => {});
  }, [hasLanguage]);
  const loaded = useChartNames(m, view, names);
  return (key, value) => {
    const field = fieldOf(key);
    if (rangeFields.includes(field)) {
      const [from, to = from] = value.split("..").map((n) => n && number(Number(n)));
      return text.range(from, to);
    }
    switch (field) {
      case "category":
        return shortCategory([...m.categories, ...m.emotions].find((c) => String(c.id) === value)?.name ?? value);
      case "sentiment":
      case "emotion":
        return capitalize(shortCategory(value));
      case "gender":
        return genderNames[value.toUpperCase()] ?? value;
      case "age":
        return ageNames[value] ?? value;
      case "language":
        return languages.find((l) => l.id.toLowerCase() === value.toLowerCase())?.name ?? value;
      case "hour":
        return hour(Number(value));
      case "time":
        return value.split("..").map(localDateTime).join(" – ");
      case "engagement":
        return common.postTypes[value.toUpperCase()] ?? value;
      case "hashtag":
        return `#${value.replace(/^#/, "")}`;
      case "own":
        return text.own[value] ?? value;
      case "starred":
      case "corrected":
        return text.yesNo[value] ?? value;
      case "assigned":
        return text.assigned[value] ?? value;
      default:
        return loaded[`${field}:${value}`] ?? placesById[`${field}:${value}`] ?? value;
    }
  };
}

// useChartNames returns the names of interests, images and logos by "field:id". It loads them if the
// filter contains any and the page does not have them.
function useChartNames(m: Filtered, view: FilteredView, names: Record<string, string> | undefined): Record<string, string> {
  const needed = !names && filterKeys(view.filter).some((key) => ["interest", "image", "brand"].includes(fieldOf(key)));
  const path = `/manage/v1/monitors/${view.sub || m.id}/overview`;
  const query = { ...view.params, filter: "", parts: "interests,images" };
  const { data } = useLoad(needed ? `names ${urlOf(path, query)}` : null, (signal) => get<Overview>(path, query, signal));
  return names ?? chartNames(data);
}

// chartNames returns the names of the interests, images and logos of an overview by "field:id".
export function chartNames(o: Overview | undefined): Record<string, string> {
  if (!o) return {};
  const named = (field: string, list: { id: string | number; name: string }[]) => list.map((x) => [`${field}:${x.id}`, x.name]);
  return Object.fromEntries([...named("interest", o.interests), ...named("image", o.images.classes), ...named("brand", o.images.brands)]);
}
