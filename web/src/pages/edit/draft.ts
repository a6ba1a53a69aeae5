import { addDays, today } from "../../lib/format";
import type { Monitor, MonitorType } from "../../lib/types";
import { edit } from "../../strings/edit";

// Criteria are the fields that decide which posts a monitor or filter selects.
export type Criteria = Pick<Monitor, "keywords" | "languages" | "geolocations" | "gender" | "sources">;

export interface DraftCategory {
  id?: number; // undefined for a category that is not saved yet
  name: string;
  group: string;
  hidden: boolean;
  trainingDocs: number;
}

// A Draft is the state of the monitor form.
export interface Draft extends Criteria {
  name: string;
  description: string;
  type: MonitorType;
  team: number;
  timezone: string;
  start: string;
  tags: string[];
  targetHashtags: string[];
  ownAccounts: string[]; // empty: they follow from the account and the query
  categories: DraftCategory[];
  account: { network: string; handle: string; pageId: string };
  revision: number; // of the monitor being edited; 0 for a new one
}

export const noCriteria = (): Criteria => ({ keywords: "", languages: { type: "include", values: [] }, geolocations: { type: "include", values: [] }, gender: "", sources: [] });

export const newCategory = (name = "", hidden = false): DraftCategory => ({ name, group: "", hidden, trainingDocs: 0 });

// newDraft returns the initial form of a new monitor: the user's time zone, starting 30 days ago.
export function newDraft(team: number): Draft {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  return {
    ...noCriteria(),
    name: "",
    description: "",
    type: "BUZZ",
    team,
    timezone,
    start: addDays(today(timezone), -30),
    tags: [],
    targetHashtags: [],
    ownAccounts: [],
    categories: [newCategory(), newCategory(), newCategory(edit.defaultHiddenCategory, true)],
    account: { network: "Twitter", handle: "", pageId: "" },
    revision: 0,
  };
}

export function draftOf(m: Monitor): Draft {
  const { keywords, languages, geolocations, gender, sources, name, description, type, team, timezone, start, tags, targetHashtags } = m;
  return {
    keywords, languages, geolocations, gender, sources, name, description, type, team, timezone, start, tags, targetHashtags,
    categories: m.categories.map((c) => ({ id: c.id, name: c.name, group: c.group ?? "", hidden: c.hidden, trainingDocs: c.trainingDocs ?? 0 })),
    ownAccounts: m.ownAccountsDerived ? [] : m.ownAccounts,
    revision: m.revision,
    account: { network: m.account?.network ?? "Twitter", handle: m.account?.handle ?? "", pageId: m.account?.pageId ?? "" },
  };
}

// criteriaBody returns the fields of a request that decide which posts a draft selects.
export function criteriaBody(d: Draft): Record<string, unknown> {
  const { keywords, languages, geolocations, gender, timezone } = d;
  const own = d.type === "SOCIAL" ? { account: accountBody(d) } : { sources: d.sources };
  return { keywords, languages, geolocations, gender, timezone, ...own };
}

function accountBody({ account: { network, handle, pageId } }: Draft) {
  return network === "Facebook" ? { network, pageId, handle } : { network, handle };
}

// hasAccount reports whether a draft of a social monitor names an account.
export function hasAccount({ account: { network, handle, pageId } }: Draft): boolean {
  return Boolean((network === "Facebook" ? pageId : handle).trim());
}

function body(d: Draft): Record<string, unknown> {
  const { name, description, start, tags, targetHashtags, ownAccounts } = d;
  const fields = { ...criteriaBody(d), name: name.trim(), description, start, tags, targetHashtags, ownAccounts };
  if (d.type !== "OPINION") return fields;
  const categories = namedCategories(d).map(({ id, name, group, hidden }) => ({ id, name: name.trim(), group: group.trim(), hidden }));
  return { ...fields, categories };
}

const namedCategories = (d: Draft) => d.categories.filter((c) => c.name.trim());

// creation returns the body of the request that creates a monitor.
export const creation = (d: Draft) => ({ ...body(d), type: d.type, team: d.team });

// changes returns the body of the request that edits a monitor: the fields that differ.
export function changes(now: Draft, before: Draft): Record<string, unknown> {
  const was = body(before);
  return Object.fromEntries(Object.entries(body(now)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name])));
}

// A FormField is a field of the form that can be refused.
export type FormField = keyof typeof edit.missing;

// FieldErrors has what is wrong with each field; fields without errors are left out.
export type FieldErrors = Partial<Record<FormField, string>>;

// validate returns what is missing from a draft.
export function validate(d: Draft): FieldErrors {
  const social = d.type === "SOCIAL";
  const page = d.account.network === "Facebook";
  const missing: Record<FormField, boolean> = {
    name: !d.name.trim(),
    keywords: !social && !d.keywords.trim(),
    pageId: social && page && !d.account.pageId.trim(),
    handle: social && !page && !d.account.handle.trim(),
    categories: d.type === "OPINION" && namedCategories(d).length < 2,
    start: !d.start,
  };
  const fields = (Object.keys(missing) as FormField[]).filter((field) => missing[field]);
  return Object.fromEntries(fields.map((field) => [field, edit.missing[field]]));
}
