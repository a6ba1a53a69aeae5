// The filter of a view selects posts of a monitor. It has the syntax of the API parameter filter,
// field:value pairs separated by "|", for example "gender:F|-source:Twitter|likes:10..", so that
// programs can request what a page shows. "-" before a field selects the posts that the pair does
// not select.
import { common } from "../strings/common";

// fields has the labels of the filter fields.
export const fields = common.filter.fields;

export type FilterField = keyof typeof fields;

// A FilterKey is a field, or a negated one.
export type FilterKey = FilterField | `-${FilterField}`;

export type Filter = Partial<Record<FilterKey, string[]>>;

// categoryFields select posts by the category that their shares are about.
export const categoryFields: FilterField[] = ["sentiment", "category"];

// rangeFields are fields of numbers. Their values are ranges like "10..", "..5" or "5..10".
export const rangeFields: FilterField[] = ["followers", "likes", "shares", "comments", "interactions"];

// A post may have several values of these fields, and must have all values in the filter. For other
// fields, one is enough.
const multiValued: FilterField[] = ["hashtag", "interest", "image", "brand", "tag"];

// A filter has one value of these fields.
const singleValued: FilterKey[] = ["gender", "own", "starred", "corrected", ...rangeFields];

export const isNegated = (key: FilterKey): key is `-${FilterField}` => key.startsWith("-");
export const fieldOf = (key: FilterKey): FilterField => (isNegated(key) ? (key.slice(1) as FilterField) : (key as FilterField));
export const negationOf = (key: FilterKey): FilterKey => (isNegated(key) ? fieldOf(key) : `-${key as FilterField}`);

const separator = (field: FilterField) => (field === "geolocation" ? ";" : ",");

// isList reports whether a pair may have several values.
function isList(key: FilterKey): boolean {
  const field = fieldOf(key);
  if (field === "keywords" || field === "own" || rangeFields.includes(field)) return false;
  return isNegated(key) || !multiValued.includes(field);
}

// splitKeywords splits a text at the first "|" outside of quotes and braces: the query, and the rest.
function splitKeywords(text: string): [string, string] {
  let end = ""; // of the quotation
  for (let i = 0; i < text.length; i++) {
    if (end) end = text[i] === end ? "" : end;
    else if (text[i] === '"') end = '"';
    else if (text[i] === "{") end = "}";
    else if (text[i] === "|") return [text.slice(0, i), text.slice(i + 1)];
  }
  return [text, ""];
}

// parseFilter parses a filter. It ignores unknown fields.
export function parseFilter(text: string): Filter {
  const filter: Filter = {};
  let rest = text.replace(/^\|/, "");
  while (rest) {
    const colon = rest.indexOf(":");
    if (colon < 0) break;
    const key = rest.slice(0, colon).trim().toLowerCase() as FilterKey;
    let value: string;
    [value, rest] = fieldOf(key) === "keywords" ? splitKeywords(rest.slice(colon + 1)) : splitPair(rest.slice(colon + 1));
    if (!Object.hasOwn(fields, fieldOf(key))) continue;
    const values = isList(key) ? value.split(separator(fieldOf(key))).map((v) => v.trim()) : [value.trim()];
    filter[key] = [...(filter[key] ?? []), ...values.filter(Boolean)];
  }
  return filter;
}

// splitPair splits a text at the first "|".
function splitPair(text: string): [string, string] {
  const at = text.indexOf("|");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

// filterKeys returns the keys of a filter in the order in which pages show them.
export function filterKeys(filter: Filter): FilterKey[] {
  const keys = (Object.keys(fields) as FilterField[]).flatMap((f): FilterKey[] => [f, `-${f}`]);
  return keys.filter((key) => filter[key]?.length);
}

// formatFilter returns the text of a filter. Keywords come last, because a query may contain
// colons.
export function formatFilter(filter: Filter): string {
  const keys = filterKeys(filter);
  const ordered = [...keys.filter((k) => fieldOf(k) !== "keywords"), ...keys.filter((k) => fieldOf(k) === "keywords")];
  return ordered
    .flatMap((key) => (isList(key) ? [filter[key]!.join(separator(fieldOf(key)))] : filter[key]!).map((value) => `${key}:${value}`))
    .join("|");
}

// withValue adds a value of a field to a filter. It replaces the value of a field that has only
// one. An author or source whose name contains a separator is added to the query instead.
export function withValue(filter: Filter, key: FilterKey, value: string): Filter {
  if (key === "keywords") return withKeywords(filter, value);
  const field = fieldOf(key);
  if ((field === "author" || field === "source") && /[,|]/.test(value)) {
    return withValue(filter, isNegated(key) ? "-keywords" : "keywords", `${field}:"${value.replaceAll('"', "")}"`);
  }
  const values = singleValued.includes(key) ? [] : (filter[key] ?? []);
  return values.includes(value) ? filter : { ...filter, [key]: [...values, value] };
}

// refine narrows a filter to posts with a value, as a click on a bar does. For fields of which a
// post has only one value, the new value replaces the old ones.
export function refine(filter: Filter, field: FilterField, value: string): Filter {
  const others = withoutValue(filter, `-${field}`, value); // the value cannot be excluded as well
  if (field === "keywords" || multiValued.includes(field)) return withValue(others, field, value);
  return withValue({ ...others, [field]: [] }, field, value);
}

// withKeywords narrows a filter to posts that also match a query.
export function withKeywords(filter: Filter, query: string): Filter {
  const before = filter.keywords?.[0];
  if (!before) return { ...filter, keywords: [query] };
  return { ...filter, keywords: [before === query ? before : `(${before}) AND (${query})`] };
}

export function withoutValue(filter: Filter, key: FilterKey, value: string): Filter {
  const rest = { ...filter, [key]: (filter[key] ?? []).filter((v) => v !== value) };
  if (rest[key]!.length === 0) delete rest[key];
  return rest;
}

// negate excludes a value that a filter requires, or the other way around.
export function negate(filter: Filter, key: FilterKey, value: string): Filter {
  const rest = withoutValue(filter, key, value);
  if (key === "own") return { ...rest, own: [value === "only" ? "exclude" : "only"] };
  if (key === "starred" || key === "corrected") return { ...rest, [key]: [value === "yes" ? "no" : "yes"] };
  return withValue(rest, negationOf(key), value);
}

// quoteTerm quotes a word if the query language would otherwise parse it as more than one term or
// as an operator.
export function quoteTerm(word: string): string {
  return /^[\p{L}\p{N}_#@]+$/u.test(word) && !/^(and|or|not|near)$/i.test(word) ? word : `"${word.replaceAll('"', "")}"`;
}
