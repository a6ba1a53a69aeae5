import { toTimestamp, type DateFormat } from "./dates";
import type { Row } from "./read";

// A FieldName is a field of a document, as /api/content/upload calls it.
interface DocumentField {
  id: string;
  name: string;
  columns: string[]; // what files call it
}

// Which column of a file is which field is guessed by its name, without case and signs.
export const documentFields: DocumentField[] = [
  { id: "contents", name: "Text (needed)", columns: ["contents", "content", "text", "fulltext", "body", "message", "comment", "review", "answer", "verbatim", "feedback", "post", "tweet"] },
  { id: "date", name: "Date (needed)", columns: ["date", "datetime", "timestamp", "time", "created", "createdat", "createdtime", "published", "publishedat", "pubdate", "submitted", "submittedat", "posted", "postedat"] },
  { id: "guid", name: "Id", columns: ["guid", "id", "uid", "uuid", "documentid", "responseid", "recordid", "postid", "messageid", "commentid", "reviewid"] },
  { id: "url", name: "Address (URL)", columns: ["url", "link", "permalink", "address"] },
  { id: "title", name: "Title", columns: ["title", "subject", "headline"] },
  { id: "author", name: "Author", columns: ["author", "authorname", "user", "username", "from", "name", "customer"] },
  { id: "language", name: "Language", columns: ["language", "lang", "languagecode"] },
  { id: "gender", name: "Gender", columns: ["gender", "sex", "authorgender"] },
  { id: "age", name: "Age", columns: ["age", "authorage"] },
  { id: "geolocation.id", name: "Place (id)", columns: ["geolocationid", "geolocation", "placeid", "geoid"] },
  { id: "geolocation.latitude", name: "Latitude", columns: ["latitude", "lat", "geolocationlatitude"] },
  { id: "geolocation.longitude", name: "Longitude", columns: ["longitude", "lon", "lng", "long", "geolocationlongitude"] },
  { id: "geolocation.zipcode", name: "ZIP code (USA)", columns: ["zipcode", "zip", "postalcode", "geolocationzipcode"] },
  { id: "engagementType", name: "Kind (post, reply …)", columns: ["engagementtype"] },
  { id: "parentGuid", name: "Id of its parent", columns: ["parentguid", "parentid", "inreplyto"] },
  { id: "pageId", name: "Id of its page", columns: ["pageid"] },
  { id: "authorProfileId", name: "Id of the author", columns: ["authorprofileid", "authorid", "userid"] },
];

// A Mapping says what each column is: a field, "custom" for a field of its own, "" for nothing.
export type Mapping = Record<string, string>;

export const maxCustomFields = 10;

export function guessMapping(columns: string[]): Mapping {
  const mapping: Mapping = Object.create(null);
  for (const column of columns) mapping[column] = /^custom\../.test(column) ? "custom" : "";
  for (const field of documentFields) {
    const named = (name: string) => columns.find((c) => mapping[c] === "" && c.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") === name);
    const column = field.columns.map(named).find(Boolean);
    if (column) mapping[column] = field.id;
  }
  return mapping;
}

// withField returns the mapping with another meaning of a column. Two columns cannot be the same field.
export function withField(mapping: Mapping, column: string, field: string): Mapping {
  const next: Mapping = { ...mapping, [column]: field };
  for (const other of Object.keys(next)) {
    if (other !== column && field && field !== "custom" && next[other] === field) next[other] = "";
  }
  return next;
}

export const columnOf = (mapping: Mapping, field: string) => Object.keys(mapping).find((c) => mapping[c] === field);
export const customCount = (mapping: Mapping) => Object.values(mapping).filter((f) => f === "custom").length;

// customName is what a column is called as a custom field.
export const customName = (column: string) => column.replace(/^custom\./, "").slice(0, 100);

// A Plan is how rows become documents.
export interface Plan {
  mapping: Mapping;
  dates: DateFormat;
  zone: string; // of dates without an offset
}

export type Item = { [field: string]: string | number | Item };

const numbers = new Set(["age", "geolocation.latitude", "geolocation.longitude"]);

// itemOf makes a document of a row. What is wrong with its values the server says. A row without an id gets one that is
// made of its values, so that the same row is the same document the next time.
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

function put(item: Item, path: string[], value: string | number) {
  if (path.length === 1) item[path[0]] = value;
  else put((item[path[0]] ??= {}) as Item, path.slice(1), value);
}

function asNumber(text: string): number | string {
  const n = Number(text.replace(",", "."));
  return Number.isFinite(n) ? n : text;
}

// fingerprint is a text that hardly any other text has, 106 bits of it.
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
