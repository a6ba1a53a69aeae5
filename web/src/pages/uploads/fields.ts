import { uploads } from "../../strings/uploads";
import { guessFormat, toTimestamp, type DateFormat } from "./dates";
import type { Row } from "./read";

// A DocumentField is a field of a document, named as in /api/content/upload.
interface DocumentField {
  id: string;
  required?: boolean;
  columns: string[]; // column names that usually hold it, in lower case and without punctuation
}

const documentFields: DocumentField[] = [
  { id: "contents", required: true, columns: ["contents", "content", "text", "fulltext", "body", "message", "comment", "review", "answer", "verbatim", "feedback", "post", "tweet"] },
  { id: "date", required: true, columns: ["date", "datetime", "timestamp", "time", "created", "createdat", "createdtime", "published", "publishedat", "pubdate", "submitted", "submittedat", "posted", "postedat"] },
  { id: "guid", columns: ["guid", "id", "uid", "uuid", "documentid", "responseid", "recordid", "postid", "messageid", "commentid", "reviewid"] },
  { id: "url", columns: ["url", "link", "permalink", "address"] },
  { id: "title", columns: ["title", "subject", "headline"] },
  { id: "author", columns: ["author", "authorname", "user", "username", "from", "name", "customer"] },
  { id: "language", columns: ["language", "lang", "languagecode"] },
  { id: "gender", columns: ["gender", "sex", "authorgender"] },
  { id: "age", columns: ["age", "authorage"] },
  { id: "geolocation.id", columns: ["geolocationid", "geolocation", "placeid", "geoid"] },
  { id: "geolocation.latitude", columns: ["latitude", "lat", "geolocationlatitude"] },
  { id: "geolocation.longitude", columns: ["longitude", "lon", "lng", "long", "geolocationlongitude"] },
  { id: "geolocation.zipcode", columns: ["zipcode", "zip", "postalcode", "geolocationzipcode"] },
  { id: "engagementType", columns: ["engagementtype"] },
  { id: "parentGuid", columns: ["parentguid", "parentid", "inreplyto"] },
  { id: "pageId", columns: ["pageid"] },
  { id: "authorProfileId", columns: ["authorprofileid", "authorid", "userid"] },
];

// fieldOptions are the fields that a column can be mapped to.
export const fieldOptions = documentFields.map((f) => ({ value: f.id, name: f.required ? uploads.required(uploads.fields[f.id]) : uploads.fields[f.id] }));

// A Mapping gives the field of each column: the id of a field, "custom" for a custom field, or ""
// to skip the column.
export type Mapping = Record<string, string>;

export const maxCustomFields = 10;

// guessMapping maps columns to fields by their names, ignoring case and punctuation. If no name says
// which column has the date or the text, it looks at the values.
export function guessMapping(columns: string[], rows: Row[]): Mapping {
  const mapping: Mapping = Object.create(null);
  for (const column of columns) mapping[column] = /^custom\../.test(column) ? "custom" : "";
  for (const field of documentFields) {
    const named = (name: string) => columns.find((c) => mapping[c] === "" && c.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") === name);
    const column = field.columns.map(named).find(Boolean);
    if (column) mapping[column] = field.id;
  }
  const valuesOf = (column: string) => rows.map((row) => row.values[column]?.trim()).filter(Boolean);
  const guess = (field: string, score: (values: string[]) => number) => {
    if (columnOf(mapping, field)) return;
    const free = columns.filter((c) => mapping[c] === "").map((column) => ({ column, score: score(valuesOf(column)) }));
    const best = free.reduce((a, b) => (b.score > a.score ? b : a), { column: "", score: 0 });
    if (best.column) mapping[best.column] = field;
  };
  guess("date", dateScore);
  guess("contents", textScore);
  return mapping;
}

// dateScore returns the share of values that are dates, or 0 if most are not. Numbers may be anything.
function dateScore(values: string[]): number {
  const format = guessFormat(values);
  if (format === "seconds" || format === "milliseconds") return 0;
  const share = values.filter((v) => toTimestamp(v, format, "UTC") !== null).length / values.length;
  return share >= 0.6 ? share : 0;
}

// textScore returns the average length of values, or 0 if most of them have fewer than two words.
function textScore(values: string[]): number {
  if (values.filter((v) => /\S\s+\S/.test(v)).length < values.length / 2) return 0;
  return values.reduce((sum, v) => sum + v.length, 0) / values.length;
}

// withField returns the mapping with a column mapped to a field. Another column with that field is
// skipped then, because a field has only one column.
export function withField(mapping: Mapping, column: string, field: string): Mapping {
  const next: Mapping = { ...mapping, [column]: field };
  for (const other of Object.keys(next)) {
    if (other !== column && field && field !== "custom" && next[other] === field) next[other] = "";
  }
  return next;
}

export const columnOf = (mapping: Mapping, field: string) => Object.keys(mapping).find((c) => mapping[c] === field);
export const customCount = (mapping: Mapping) => Object.values(mapping).filter((f) => f === "custom").length;

// customName returns the name of the custom field that a column becomes, at most 100 characters.
export const customName = (column: string) => column.replace(/^custom\./, "").slice(0, 100);

// A Plan describes how rows are converted to documents.
export interface Plan {
  mapping: Mapping;
  dates: DateFormat;
  zone: string; // time zone of dates without an offset
}

export type Item = { [field: string]: string | number | Item };

const numbers = new Set(["age", "geolocation.latitude", "geolocation.longitude"]);

// itemOf converts a row to a document. The server validates the values. If no column is mapped to
// an id or URL, the id is a hash of the values, so that uploading the row again replaces the
// document.
export function itemOf(row: Row, plan: Plan): Item {
  const item: Item = {};
  for (const [column, field] of Object.entries(plan.mapping)) {
    const text = row.values[column]?.trim();
    if (!field || !text) continue;
    if (field === "custom") put(item, ["custom", customName(column)], text);
    else if (field === "date") item.date = toTimestamp(text, plan.dates, plan.zone) ?? text;
    else put(item, field.split("."), numbers.has(field) ? asNumber(text) : text);
  }
  if (!item.guid && !item.url && !columnOf(plan.mapping, "guid") && !columnOf(plan.mapping, "url")) item.guid = fingerprint(JSON.stringify(item));
  return item;
}

// explain translates a problem that the server found in a row into the words of the form: the name
// of the column, and the chosen date format. A message starts with the API name of a field.
export function explain(message: string, row: Row, plan: Plan): string {
  for (const [column, field] of Object.entries(plan.mapping)) {
    const name = field === "custom" ? `custom.${customName(column)}` : field;
    if (!field || !message.startsWith(`${name} `)) continue;
    const problem = message.slice(name.length + 1);
    const text = row.values[column]?.trim();
    if (!text) return uploads.emptyCell(column);
    if (field === "date" && toTimestamp(text, plan.dates, plan.zone) === null) return uploads.badDate(column, text, uploads.dateFormats[plan.dates]);
    return uploads.badCell(column, problem);
  }
  return message.replace(/^[\w.]+/, (field) => uploads.fields[field] ?? field);
}

function put(item: Item, path: string[], value: string | number) {
  if (path.length === 1) item[path[0]] = value;
  else put((item[path[0]] ??= {}) as Item, path.slice(1), value);
}

function asNumber(text: string): number | string {
  const n = Number(text.replace(",", "."));
  return Number.isFinite(n) ? n : text;
}

// fingerprint returns a 106-bit hash of a text: two 53-bit hashes with different seeds.
export function fingerprint(text: string): string {
  return [0, 1].map((seed) => hash(text, seed).toString(36)).join("-");
}

function hash(text: string, seed: number): number {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 2654435761);
    b = Math.imul(b ^ c, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
