// What pages about incidents have in common.
import type { Mark } from "../charts/chart";
import { authorPath, daysAround } from "./author";
import { overviewHref, postsHref, whyHref } from "./drill";
import { parseFilter } from "./filter";
import { periodOf } from "./period";
import { severities, stepsOf } from "./signals";
import type { Span } from "./steps";
import type { ClaimLink, Incident } from "./types";
import type { View } from "./view";
import { incidents as text } from "../strings/incidents";

// viewOf returns what links to posts with a filter need of a view. sub is the ID of a saved filter.
const viewOf = (filter: string, sub: string): View => ({ filter: parseFilter(filter), filterText: filter, sub }) as View;

// claimHref returns the page of a monitor that proves a claim.
export function claimHref(id: string, sub: string, timezone: string, l: ClaimLink): string {
  const view = viewOf(l.filter, sub);
  const period = periodOf(l);
  switch (l.page) {
    case "why":
      return whyHref(id, view, period);
    case "posts":
      return postsHref(id, view, period, "");
    case "author":
      return authorPath(l.author, l.source, daysAround(period.start!, period.end!, timezone));
    default:
      return overviewHref(id, view, period, "");
  }
}

// incidentHref returns the page that explains an incident. On the pages of a monitor, id is the monitor,
// and filter and sub are those of the page.
export const incidentHref = (i: Incident, id = String(i.monitor.id), filter = "", sub = "") => whyHref(id, viewOf(i.metric === "negative" ? [filter, "sentiment:negative"].filter(Boolean).join("|") : filter, sub), periodOf(i));

// shortTitle leaves the name of the monitor out of the title of an incident.
export const shortTitle = (i: Incident) => (i.title.startsWith(`${i.monitor.name}: `) ? i.title.slice(i.monitor.name.length + 2) : i.title);

// incidentMarks returns where a chart shows incidents: at the first unusual hour.
export function incidentMarks(list: Incident[], steps: Span[], href: (i: Incident) => string): Mark[] {
  const at = new Map<number, Incident[]>();
  for (const i of list) {
    const found = stepsOf(i, steps);
    if (found) at.set(found[0], [...(at.get(found[0]) ?? []), i]);
  }
  return [...at].map(([i, here]) => ({
    at: i,
    href: href(here[0]),
    label: here.map(shortTitle).join("; "),
    text: here.length === 1 ? "!" : String(here.length),
    class: severities.find((s) => here.some((x) => x.severity === s))!,
  }));
}

// incidentNotes returns the lines that the tooltip of each step shows about incidents, or "".
export function incidentNotes(list: Incident[], steps: Span[]): string[] {
  const lines = steps.map((): string[] => []);
  for (const i of list) {
    const found = stepsOf(i, steps);
    for (let k = found?.[0] ?? 0; found && k <= found[1]; k++) lines[k].push(text.note(shortTitle(i)));
  }
  return lines.map((l) => l.join("\n"));
}

// attention rates how much an incident deserves attention: its size, halved for every week since it
// ended.
export function attention(i: Incident): number {
  const weeks = Math.max(0, Date.now() - Date.parse(i.to)) / (7 * 86_400_000);
  return (i.posts - i.expected.posts) * Math.min(i.ratio, 10) * 0.5 ** weeks;
}
