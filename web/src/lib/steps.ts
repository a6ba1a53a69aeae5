import { common } from "../strings/common";
import { monthNames } from "../strings/format";
import { addDays, day, hourLabel, localDateTime, longDay, monthDay } from "./format";
import type { Overview } from "./types";

// Dated has the days and hours of a chart over time.
export type Dated = { days: { date: string }[]; hours: Pick<Overview["hours"][number], "time">[] };

export type Step = "hour" | "day" | "week" | "month";

// A Span is one step of a chart: one or more days, or an hour.
export interface Span {
  start: string; // first day
  end: string; // last day, exclusive
  label: string; // on the axis
  title: string; // in the tooltip
  csv: string; // ISO date or time, in tables and CSV files
  from: number; // first index into the days or hours
  to: number; // last index, exclusive
}

// monday returns the Monday of the week that a date is in.
const monday = (date: string) => addDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7));

// spans splits an overview into steps. Weeks start on Monday. The first and last week or month may
// be partial.
export function spans(o: Dated, step: Step): Span[] {
  if (step === "hour") {
    return o.hours.map((h, i) => {
      const date = h.time.slice(0, 10);
      return { start: date, end: addDays(date, 1), label: hourLabel(h.time), title: localDateTime(h.time), csv: h.time, from: i, to: i + 1 };
    });
  }
  const list: Span[] = [];
  o.days.forEach((d, i) => {
    const begin = step === "day" ? d.date : step === "week" ? monday(d.date) : `${d.date.slice(0, 7)}-01`;
    const last = list[list.length - 1];
    if (last?.csv === begin) {
      last.end = addDays(d.date, 1);
      last.to = i + 1;
    } else {
      list.push({ start: d.date, end: addDays(d.date, 1), label: "", title: "", csv: begin, from: i, to: i + 1 });
    }
  });
  for (const s of list) setLabels(s, step);
  return list;
}

// setLabels sets the label and title of a span. The title of a week or month that the data covers
// only in part says so.
function setLabels(s: Span, step: Step) {
  if (step === "day") {
    s.label = monthDay(s.csv);
    s.title = longDay(s.csv);
    return;
  }
  const [title, next] = step === "week" ? [common.steps.weekOf(day(s.csv)), addDays(s.csv, 7)] : [monthYear(s.csv), nextMonth(s.csv)];
  s.label = step === "week" ? monthDay(s.csv) : monthYear(s.csv, 3);
  s.title = s.start === s.csv && s.end === next ? title : common.steps.partial(title);
}

// monthYear formats 2026-03-01 as March 2026, with the name of the month cut to a length.
const monthYear = (date: string, length?: number) => `${monthNames[Number(date.slice(5, 7)) - 1].slice(0, length)} ${date.slice(0, 4)}`;

function nextMonth(first: string): string {
  const d = new Date(`${first}T00:00:00Z`);
  d.setUTCMonth(d.getUTCMonth() + 1);
  return d.toISOString().slice(0, 10);
}

// sum adds up a value over the items of a span.
export function sum<T>(items: T[], s: Span, value: (item: T) => number): number {
  let total = 0;
  for (let i = s.from; i < s.to; i++) total += value(items[i]);
  return total;
}

// defaultStep returns the step that gives a readable chart for a number of days.
export function defaultStep(days: number): Step {
  return days <= 3 ? "hour" : days <= 120 ? "day" : days <= 800 ? "week" : "month";
}

// hourlyDays is the maximum number of days of an overview with hours.
export const hourlyDays = 31;

// stepsFor returns the steps to offer for a chart: hours if there are any or they can be loaded,
// weeks and months if it spans more than one.
export function stepsFor(o: Dated, hours = o.hours.length > 0): { value: Step; name: string }[] {
  return [
    ...(hours ? [{ value: "hour" as const, name: common.steps.hour }] : []),
    { value: "day" as const, name: common.steps.day },
    ...(o.days.length > 7 ? [{ value: "week" as const, name: common.steps.week }] : []),
    ...(o.days.length > 31 ? [{ value: "month" as const, name: common.steps.month }] : []),
  ];
}
