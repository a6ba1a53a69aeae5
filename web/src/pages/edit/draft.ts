import { addDays, today } from "../../lib/format";
import type { Monitor, MonitorType } from "../../lib/types";

// Criteria say which posts a monitor or a filter selects.
export type Criteria = Pick<Monitor, "keywords" | "languages" | "geolocations" | "gender" | "sources">;

export interface DraftCategory {
  id?: number; // of one that there is already
  name: string;
  group: string;
  hidden: boolean;
  trainingDocs: number;
}

// A Draft is a monitor as the form has it.
export interface Draft extends Criteria {
  name: string;
  description: string;
  type: MonitorType;
  team: number;
  timezone: string;
  start: string;
  tags: string[];
  targetHashtags: string[];
  categories: DraftCategory[];
  account: { network: string; handle: string; pageId: string };
  revision: number; // of the monitor that is edited
}

export const noCriteria = (): Criteria => ({ keywords: "", languages: { type: "include", values: [] }, geolocations: { type: "include", values: [] }, gender: "", sources: [] });

export const newCategory = (name = "", hidden = false): DraftCategory => ({ name, group: "", hidden, trainingDocs: 0 });

// newDraft is the form of a new monitor. Its days are those of the reader, and begin a month ago.
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
    categories: [newCategory(), newCategory(), newCategory("Off-topic", true)],
    account: { network: "Twitter", handle: "", pageId: "" },
    revision: 0,
  };
}

export function draftOf(m: Monitor): Draft {
  const { keywords, languages, geolocations, gender, sources, name, description, type, team, timezone, start, tags, targetHashtags } = m;
  return {
    keywords, languages, geolocations, gender, sources, name, description, type, team, timezone, start, tags, targetHashtags,
    categories: m.categories.map((c) => ({ id: c.id, name: c.name, group: c.group ?? "", hidden: c.hidden, trainingDocs: c.trainingDocs ?? 0 })),
    revision: m.revision,
    account: { network: m.account?.network ?? "Twitter", handle: m.account?.handle ?? "", pageId: m.account?.pageId ?? "" },
  };
}

// criteriaBody are the fields that say which posts a draft is about.
export function criteriaBody(d: Draft): Record<string, unknown> {
  const { keywords, languages, geolocations, gender, timezone } = d;
  const own = d.type === "SOCIAL" ? { account: accountBody(d) } : { sources: d.sources };
  return { keywords, languages, geolocations, gender, timezone, ...own };
}

function accountBody({ account: { network, handle, pageId } }: Draft) {
  return network === "Facebook" ? { network, pageId, handle } : { network, handle };
}

function body(d: Draft): Record<string, unknown> {
  const { name, description, start, tags, targetHashtags } = d;
  const fields = { ...criteriaBody(d), name: name.trim(), description, start, tags, targetHashtags };
  if (d.type !== "OPINION") return fields;
  const categories = namedCategories(d).map(({ id, name, group, hidden }) => ({ id, name: name.trim(), group: group.trim(), hidden }));
  return { ...fields, categories };
}

const namedCategories = (d: Draft) => d.categories.filter((c) => c.name.trim());

// creation is what is sent to create a monitor, and changes what is sent to edit one: the fields that are others now.
export const creation = (d: Draft) => ({ ...body(d), type: d.type, team: d.team });

export function changes(now: Draft, before: Draft): Record<string, unknown> {
  const was = body(before);
  return Object.fromEntries(Object.entries(body(now)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name])));
}

// validate says what a draft lacks before it can be sent, or nothing.
export function validate(d: Draft): string {
  if (!d.name.trim()) return "Give the monitor a name.";
  if (d.type !== "SOCIAL" && !d.keywords.trim()) return "Write a query: what should the monitor look for?";
  if (d.type === "SOCIAL" && d.account.network === "Facebook" && !d.account.pageId.trim()) return "Enter the id of the Facebook page.";
  if (d.type === "SOCIAL" && d.account.network !== "Facebook" && !d.account.handle.trim()) return "Enter the handle of the account.";
  if (d.type === "OPINION" && namedCategories(d).length < 2) return "An opinion monitor needs at least two categories.";
  if (!d.start) return "Choose the first day.";
  return "";
}
