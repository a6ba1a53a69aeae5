// The request of an analysis, as a form draft and as the body of POST /api/results
// (docs/analysis.md).
import type { AnalysisChoice, AnalysisKind, AnalysisRequest } from "../../lib/types";
import { toUTC } from "../../lib/zone";
import { analysis } from "../../strings/analysis";

export type Kind = keyof typeof analysis.kinds;
export const kinds = Object.keys(analysis.kinds) as Kind[];

// microblogKinds are computed from microblog posts only.
export const microblogKinds: AnalysisKind[] = ["affinity", "reach"];

// A Draft is the state of the form. It names sources as people know them.
export interface Draft {
  kinds: Kind[];
  keywords: string;
  sources: string[];
  contentSources: string[];
  start: string; // in the time zone, for example 2026-03-01T08:30
  end: string;
  zone: string;
  languages: AnalysisChoice;
  places: AnalysisChoice;
  gender: AnalysisChoice;
}

const noChoice: AnalysisChoice = { type: "include", values: [] };
const customPrefix = "CUSTOM:";

// sourceCode returns the code of a source in requests: GOOGLE_PLUS for Google Plus.
export const sourceCode = (name: string) => name.toUpperCase().replaceAll(" ", "_");

// sourceName returns the name, out of names, that has the given code. It returns the name of a
// content source for CUSTOM:name.
export function sourceName(code: string, names: string[]): string {
  if (code.toUpperCase().startsWith(customPrefix)) return code.slice(customPrefix.length);
  return names.find((n) => sourceCode(n) === code.toUpperCase()) ?? code;
}

// emptyDraft returns a draft that includes all sources and posts of the last 24 hours, and all results
// but ethnicity, which is guessed from surnames.
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

// toInput converts a time of a request to the value of a datetime-local input. withSeconds is its
// inverse. Seconds are kept unless they are 0.
const toInput = (time: string) => time.slice(0, 19).replace(/:00$/, "");
const withSeconds = (time: string) => (time.length === 16 ? `${time}:00` : time);

// inputTime formats an instant in a time zone as the value of a datetime-local input.
export function inputTime(instant: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" }).formatToParts(instant);
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

// lastHours returns the range of the given number of hours up to now.
export function lastHours(hours: number, zone: string): { start: string; end: string } {
  const now = new Date();
  return { start: inputTime(new Date(now.getTime() - hours * 3_600_000), zone), end: inputTime(now, zone) };
}

// instantOf converts a local time to an instant, in milliseconds.
const instantOf = (time: string, zone: string) => toUTC(new Date(`${withSeconds(time)}Z`).getTime(), zone);

// isTooLong reports whether a draft covers more than 24 hours.
export const isTooLong = (d: Draft) => instantOf(d.end, d.zone) - instantOf(d.start, d.zone) > 24 * 3_600_000;

// validate returns the first problem of a draft, or "". The server checks the rest.
export function validate(d: Draft, microblogs: string[]): string {
  if (!d.keywords.trim()) return analysis.invalid.keywords;
  if (!d.sources.length && !d.contentSources.length) return analysis.invalid.sources;
  if (!d.kinds.length) return analysis.invalid.results;
  if (!d.start || !d.end || d.start >= d.end) return analysis.invalid.order;
  if (isTooLong(d)) return analysis.invalid.tooLong;
  if (d.kinds.some((k) => microblogKinds.includes(k)) && !d.sources.some((s) => microblogs.includes(s))) return analysis.invalid.microblogs(microblogs);
  return "";
}
