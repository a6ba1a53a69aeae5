// The filter of a view selects posts of a monitor. It has the syntax of the API parameter filter,
// field:value pairs separated by "|", for example "gender:F|hashtag:coffee", so that programs can
// request what a page shows.
import { common } from "../strings/common";

// fields has the labels of the filter fields.
export const fields = common.filter.fields;

export type FilterField = keyof typeof fields;
export type Filter = Partial<Record<FilterField, string[]>>;

// A post may have several values of these fields, and must have all values in the filter. For other
// fields, one is enough.
const multiValued: FilterField[] = ["hashtag", "interest", "image", "brand"];

const separator = (field: FilterField) => (field === "geolocation" ? ";" : ",");

// splitKeywords splits a text at the first "|" outside of quotes: the query, and the rest.
function splitKeywords(text: string): [string, string] {
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') quoted = !quoted;
    else if (text[i] === "|" && !quoted) return [text.slice(0, i), text.slice(i + 1)];
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
    const field = rest.slice(0, colon).trim().toLowerCase() as FilterField;
    let value: string;
    [value, rest] = field === "keywords" ? splitKeywords(rest.slice(colon + 1)) : splitPair(rest.slice(colon + 1));
    if (!Object.hasOwn(fields, field)) continue;
    const values = field === "keywords" || multiValued.includes(field) ? [value.trim()] : value.split(separator(field)).map((v) => v.trim());
    filter[field] = [...(filter[field] ?? []), ...values.filter(Boolean)];
  }
  return filter;
}

// splitPair splits a text at the first "|".
function splitPair(text: string): [string, string] {
  const at = text.indexOf("|");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

// formatFilter returns the text of a filter. Keywords come last, because a query may contain
// colons.
export function formatFilter(filter: Filter): string {
  const pairs: string[] = [];
  for (const field of Object.keys(fields) as FilterField[]) {
    const values = filter[field];
    if (!values?.length || field === "keywords") continue;
    if (multiValued.includes(field)) pairs.push(...values.map((v) => `${field}:${v}`));
    else pairs.push(`${field}:${values.join(separator(field))}`);
  }
  if (filter.keywords?.[0]) pairs.push(`keywords:${filter.keywords[0]}`);
  return pairs.join("|");
}

// withValue adds a value of a field to a filter. A new gender replaces the old one. An author or
// source whose name contains a separator is added to the query instead.
export function withValue(filter: Filter, field: FilterField, value: string): Filter {
  if (field === "keywords") return withKeywords(filter, value);
  if ((field === "author" || field === "source") && /[,|]/.test(value)) return withKeywords(filter, `${field}:"${value.replaceAll('"', "")}"`);
  const values = field === "gender" ? [] : (filter[field] ?? []);
  return values.includes(value) ? filter : { ...filter, [field]: [...values, value] };
}

// refine narrows a filter to posts with a value, as a click on a bar does. For fields of which a
// post has only one value, the new value replaces the old ones.
export function refine(filter: Filter, field: FilterField, value: string): Filter {
  if (field === "keywords" || multiValued.includes(field)) return withValue(filter, field, value);
  return withValue({ ...filter, [field]: [] }, field, value);
}

// withKeywords narrows a filter to posts that also match a query.
export function withKeywords(filter: Filter, query: string): Filter {
  const before = filter.keywords?.[0];
  if (!before) return { ...filter, keywords: [query] };
  return { ...filter, keywords: [before === query ? before : `(${before}) AND (${query})`] };
}

export function withoutValue(filter: Filter, field: FilterField, value: string): Filter {
  const rest = { ...filter, [field]: (filter[field] ?? []).filter((v) => v !== value) };
  if (rest[field]!.length === 0) delete rest[field];
  return rest;
}

// quoteTerm quotes a word if the query language would otherwise parse it as more than one term or
// as an operator.
export function quoteTerm(word: string): string {
  return /^[\p{L}\p{N}_#@]+$/u.test(word) && !/^(and|or|not|near)$/i.test(word) ? word : `"${word.replaceAll('"', "")}"`;
}
