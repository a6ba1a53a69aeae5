// What an analysis asks for, as the form has it and as the public interface takes it (docs/analysis.md).
import type { AnalysisChoice, AnalysisKind, AnalysisRequest } from "../../lib/types";
import { toUTC } from "../../lib/zone";

export const kindNames: Record<AnalysisKind, string> = {
  volume: "Posts by source",
  sentiment: "Sentiment",
  emotion: "Emotions",
  location: "Places",
  source: "Sites",
  gender: "Gender",
  age: "Age",
  ethnicity: "Ethnicity",
  affinity: "Interests",
  reach: "Reach",
};

export const kinds = Object.keys(kindNames) as AnalysisKind[];

// microblogKinds are told of microblog posts alone.
export const microblogKinds: AnalysisKind[] = ["affinity", "reach"];

// A Draft is a request as the form has it: sources by the names that people know.
export interface Draft {
  kinds: AnalysisKind[];
  keywords: string;
  sources: string[];
  contentSources: string[];
  start: string; // 2026-03-01T08:30, on the clock of the zone
  end: string;
  zone: string;
  languages: AnalysisChoice;
  places: AnalysisChoice;
  gender: AnalysisChoice;
}

const noChoice: AnalysisChoice = { type: "include", values: [] };
const customPrefix = "CUSTOM:";

// sourceCode writes Google Plus as GOOGLE_PLUS, and sourceName finds the name again among those there are.
export const sourceCode = (name: string) => name.toUpperCase().replaceAll(" ", "_");
export function sourceName(code: string, names: string[]): string {
  if (code.toUpperCase().startsWith(customPrefix)) return code.slice(customPrefix.length);
  return names.find((n) => sourceCode(n) === code.toUpperCase()) ?? code;
}

// emptyDraft asks everything of the last day.
export function emptyDraft(sources: string[], zone: string): Draft {
  return { kinds, keywords: "", sources, contentSources: [], ...lastHours(24, zone), zone, languages: noChoice, places: noChoice, gender: noChoice };
}

export function draftOf(r: AnalysisRequest, names: string[]): Draft {
  const own = r.sources.filter((s) => s.toUpperCase().startsWith(customPrefix));
  return {
    kinds: kinds.filter((k) => r.analysis.some((a) => a.toLowerCase() === k)),
    keywords: r.keywords,
    sources: r.sources.filter((s) => !own.includes(s)).map((s) => sourceName(s, names)),
    contentSources: own.map((s) => s.slice(customPrefix.length)),
    start: toInput(r.startDate),
    end: toInput(r.endDate),
    zone: r.timezone,
    languages: { ...(r.languages ?? noChoice), values: (r.languages?.values ?? []).map((v) => v.toLowerCase()) },
    places: r.locations ?? noChoice,
    gender: r.gender ?? noChoice,
  };
}

export function requestOf(d: Draft): AnalysisRequest {
  const chosen = (c: AnalysisChoice) => (c.values.length ? c : undefined);
  return {
    analysis: d.kinds,
    keywords: d.keywords.trim(),
    sources: [...d.sources.map(sourceCode), ...d.contentSources.map((name) => customPrefix + name)],
    startDate: withSeconds(d.start),
    endDate: withSeconds(d.end),
    timezone: d.zone,
    languages: chosen({ ...d.languages, values: d.languages.values.map((v) => (v === "all" ? v : v.toUpperCase())) }),
    locations: chosen(d.places),
    gender: chosen(d.gender),
  };
}

// toInput is a time as the input of a form takes it, whole as the interface does. Seconds stay where somebody asked for them.
const toInput = (time: string) => time.slice(0, 19).replace(/:00$/, "");
const withSeconds = (time: string) => (time.length === 16 ? `${time}:00` : time);

// inputTime writes a moment on the clock of a zone, as the input of a form takes it.
export function inputTime(moment: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" }).formatToParts(moment);
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

// lastHours are the hours up to now.
export function lastHours(hours: number, zone: string): { start: string; end: string } {
  const now = new Date();
  return { start: inputTime(new Date(now.getTime() - hours * 3_600_000), zone), end: inputTime(now, zone) };
}

// instantOf is when it is so late on the clock of a zone.
const instantOf = (time: string, zone: string) => toUTC(new Date(`${withSeconds(time)}Z`).getTime(), zone);

// validate says what keeps a draft from being sent; the server checks the rest.
export function validate(d: Draft, microblogs: string[]): string {
  if (!d.keywords.trim()) return "Say what to look for.";
  if (!d.sources.length && !d.contentSources.length) return "Choose at least one source.";
  if (!d.kinds.length) return "Choose at least one thing to tell.";
  if (!d.start || !d.end || d.start >= d.end) return "The end must be after the beginning.";
  if (instantOf(d.end, d.zone) - instantOf(d.start, d.zone) > 24 * 3_600_000) return "An analysis covers up to 24 hours.";
  if (d.kinds.some((k) => microblogKinds.includes(k)) && !d.sources.some((s) => microblogs.includes(s))) return `Interests and reach are told of microblogs: choose one of ${microblogs.join(", ")}, or leave them out.`;
  return "";
}
