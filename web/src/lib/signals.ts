// What the pages about signals have in common.
import type { Mark } from "../charts/chart";
import { addDays } from "./format";
import { parseFilter } from "./filter";
import { postsHref, whyHref, type Period } from "./drill";
import { periodOf } from "./period";
import type { Span } from "./steps";
import type { SignalInfo, SignalMark } from "./types";
import type { View } from "./view";
import { signals as text } from "../strings/signals";

export const severities = ["critical", "warning", "info"] as const;

// lengthOf formats how long a signal lasted, or has lasted so far: "3 hours".
export function lengthOf(s: { raised: string; resolved: string | null }): string {
  const minutes = Math.max(1, Math.round(((s.resolved ? Date.parse(s.resolved) : Date.now()) - Date.parse(s.raised)) / 60_000));
  if (minutes < 90) return text.minutes(minutes);
  return minutes < 48 * 60 ? text.hours(Math.round(minutes / 60)) : text.days(Math.round(minutes / 1440));
}

// monitorPage returns the id of the monitor whose pages show a signal. A signal of a saved filter is
// on those of its monitor.
export const monitorPage = (s: SignalInfo) => String(s.monitor.parent ?? s.monitor.id);

// viewOf returns what links from a signal need of a view.
function viewOf(s: SignalInfo): View {
  return { filter: parseFilter(s.filter), filterText: s.filter, sub: s.monitor.parent ? String(s.monitor.id) : "" } as View;
}

export const signalPeriod = (s: SignalInfo): Period => periodOf(s);

// signalPosts returns the URL of the posts of a signal, or of those that a filter selects.
export const signalPosts = (s: SignalInfo, filter = "") => postsHref(monitorPage(s), viewOf(s), signalPeriod(s), filter);

// signalWhy returns the URL of the page that explains the period of a signal.
export const signalWhy = (s: SignalInfo) => whyHref(monitorPage(s), viewOf(s), signalPeriod(s));

// signalDays returns the days of a signal. The end is exclusive.
export const signalDays = (s: Pick<SignalInfo, "from" | "to">) => ({ start: periodOf(s).start!, end: periodOf(s).end! });

// stepsOf returns the first and the last step of a chart that a signal or an incident is about, or null.
export function stepsOf(s: Pick<SignalInfo, "from" | "to">, steps: Span[]): [first: number, last: number] | null {
  const hourly = steps.length > 0 && steps[0].csv.length > 10;
  const days = signalDays(s);
  const first = hourly ? steps.findLastIndex((x) => x.csv.slice(0, 16) <= s.from.slice(0, 16)) : steps.findIndex((x) => x.end > days.start);
  const last = hourly ? steps.findLastIndex((x) => x.csv.slice(0, 16) < s.to.slice(0, 16)) : steps.findLastIndex((x) => x.start < days.end);
  if (last < 0 || (hourly && s.from.slice(0, 10) > addDays(steps.at(-1)!.start, 1))) return null;
  const begin = Math.max(0, first);
  return last < begin ? null : [begin, last];
}

// signalMarks returns where a chart of a monitor shows signals. Those that begin in the same step share
// a mark, which leads to the list.
export function signalMarks(list: SignalMark[], steps: Span[], monitor: number): Mark[] {
  const at = new Map<number, SignalMark[]>();
  for (const s of list) {
    const found = stepsOf(s, steps);
    if (found) at.set(found[0], [...(at.get(found[0]) ?? []), s]);
  }
  return [...at].map(([i, here]) => {
    const worst = severities.find((v) => here.some((s) => s.severity === v))!;
    const one = here.length === 1;
    return { at: i, href: one ? signalHref(here[0]) : `/signals?monitor=${monitor}&days=365`, label: one ? here[0].title : text.marks.several(here.length, steps[i].title), text: one ? "!" : String(here.length), class: worst };
  });
}

export const signalHref = (s: { id: number }) => `/signals/${s.id}`;

// signalNotes returns the lines that the tooltip of each step shows about signals, or "".
export function signalNotes(list: SignalMark[], steps: Span[]): string[] {
  const lines = steps.map((): string[] => []);
  for (const s of list) {
    const found = stepsOf(s, steps);
    for (let i = found?.[0] ?? 0; found && i <= found[1]; i++) if (lines[i].length < 3) lines[i].push(text.marks.note(s.title));
  }
  return lines.map((l) => l.join("\n"));
}
