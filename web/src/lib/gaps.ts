// Gaps: periods for which a source of a monitor was down, so that posts may be missing from charts.
import { overview } from "../strings/overview";
import { dateTime } from "./format";
import type { Span } from "./steps";
import type { OverviewGap } from "./types";
import { toUTC } from "./zone";

// A GapMark is a part of a chart that lacks posts. Its bounds count steps of the chart.
export interface GapMark {
  from: number;
  to: number;
  gap: OverviewGap;
}

// markGaps returns where a chart with the given steps has gaps.
export function markGaps(gaps: OverviewGap[], steps: Span[], zone: string): GapMark[] {
  if (gaps.length === 0 || steps.length === 0) return [];
  const begins = steps.map((s) => (s.csv.length > 10 ? Date.parse(s.csv) : midnight(s.start, zone)));
  const last = steps[steps.length - 1];
  const end = last.csv.length > 10 ? begins[begins.length - 1] + 3_600_000 : midnight(last.end, zone);
  const bounds = [...begins, end];
  // position returns where a time is, as a number of steps.
  const position = (time: number) => {
    const next = bounds.findIndex((b) => b > time);
    if (next === 0) return 0;
    if (next < 0) return steps.length;
    return next - 1 + (time - bounds[next - 1]) / (bounds[next] - bounds[next - 1]);
  };
  return gaps.map((gap) => ({ gap, from: position(Date.parse(gap.from)), to: position(gap.open ? Date.now() : Date.parse(gap.to)) })).filter((m) => m.to > m.from);
}

const midnight = (date: string, zone: string) => toUTC(Date.parse(`${date}T00:00:00Z`), zone);

// gapRange formats the period of a gap in a time zone.
export function gapRange(g: OverviewGap, zone: string): string {
  const [from, to] = [dateTime(g.from, zone), dateTime(g.to, zone)];
  const dateOf = (text: string) => text.slice(0, text.lastIndexOf(",") + 2);
  return g.open ? overview.gaps.since(from) : overview.gaps.range(from, dateOf(from) === dateOf(to) ? to.slice(dateOf(to).length) : to);
}

// gapNotes returns the line that the tooltip of each step shows about gaps, or "".
export function gapNotes(marks: GapMark[], steps: Span[], zone: string): string[] {
  return steps.map((_, i) =>
    marks
      .filter((m) => m.from < i + 1 && m.to > i)
      .map((m) => overview.gaps.tooltip(m.gap.name, m.gap.reason, gapRange(m.gap, zone), m.gap.open))
      .join("\n"),
  );
}
