// The filter of a view: which posts of a monitor are looked at. It is written as the interface's parameter filter is,
// pairs field:value separated by "|", so that what is seen can be asked for by programs, too.

export const fields = {
  category: "Category",
  keywords: "Words",
  language: "Language",
  geolocation: "Place",
  source: "Source",
  site: "Site",
  author: "Author",
  gender: "Gender",
  hashtag: "Hashtag",
  age: "Age",
  interest: "Interest",
  image: "Image",
  brand: "Logo",
  weekday: "Weekday",
  hour: "Hour",
  engagement: "Kind",
} as const;

export type FilterField = keyof typeof fields;
export type Filter = Partial<Record<FilterField, string[]>>;

// Of these a post may have several, and each value in the filter must be one of them; of the others any will do.
const multiValued: FilterField[] = ["hashtag", "interest", "image", "brand"];

const separator = (field: FilterField) => (field === "geolocation" ? ";" : ",");

// splitKeywords returns the query at the beginning of a text, up to the first "|" that is in no phrase.
function splitKeywords(text: string): [string, string] {
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') quoted = !quoted;
    else if (text[i] === "|" && !quoted) return [text.slice(0, i), text.slice(i + 1)];
  }
  return [text, ""];
}

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

function splitPair(text: string): [string, string] {
  const at = text.indexOf("|");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

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

// withValue returns the filter with one more value of a field, and only the one value where a post can have one anyway.
export function withValue(filter: Filter, field: FilterField, value: string): Filter {
  if (field === "keywords") return withKeywords(filter, value);
  if ((field === "author" || field === "source") && /[,|]/.test(value)) return withKeywords(filter, `${field}:"${value.replaceAll('"', "")}"`);
  const values = field === "gender" ? [] : (filter[field] ?? []);
  return values.includes(value) ? filter : { ...filter, [field]: [...values, value] };
}

// refine returns the filter that leaves, of the posts it has left so far, those with a value: what a click on a bar means.
export function refine(filter: Filter, field: FilterField, value: string): Filter {
  if (field === "keywords" || multiValued.includes(field)) return withValue(filter, field, value);
  return withValue({ ...filter, [field]: [] }, field, value);
}

// withKeywords refines to posts that also match a query.
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

// quoteTerm writes a word so that the query language takes it as one.
export function quoteTerm(word: string): string {
  return /^[\p{L}\p{N}_#@]+$/u.test(word) && !/^(and|or|not|near)$/i.test(word) ? word : `"${word.replaceAll('"', "")}"`;
}
