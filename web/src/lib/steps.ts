import { addDays, day, shortDay } from "./format";
import type { Overview } from "./types";

export type Step = "hour" | "day" | "week" | "month";

// A Span is one step of a chart: some days, or an hour of one.
export interface Span {
  start: string; // first day
  end: string; // day after the last
  label: string; // short, for the axis
  title: string;
  csv: string; // as files have it
  from: number; // first index into the days or hours
  to: number; // index after the last
}

const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const monday = (date: string) => addDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7));

// spans cuts the days of an overview into steps. Weeks begin on Monday; weeks and months that the days hold only a part of say so.
export function spans(o: Pick<Overview, "days" | "hours" | "start" | "end">, step: Step): Span[] {
  if (step === "hour") {
    return o.hours.map((h, i) => {
      const date = h.time.slice(0, 10);
      const time = h.time.slice(11, 16);
      return { start: date, end: addDays(date, 1), label: time === "00:00" ? shortDay(date).slice(4) : time, title: `${day(date)}, ${time}`, csv: h.time, from: i, to: i + 1 };
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

function setLabels(s: Span, step: Step) {
  const month = months[Number(s.csv.slice(5, 7)) - 1];
  if (step === "day") {
    s.label = shortDay(s.csv).slice(4);
    s.title = `${shortDay(s.csv)} ${s.csv.slice(0, 4)}`;
  } else if (step === "week") {
    const complete = s.start === s.csv && s.end === addDays(s.csv, 7);
    s.label = shortDay(s.csv).slice(4);
    s.title = `Week from ${day(s.csv)}${complete ? "" : " (a part of it)"}`;
  } else {
    const next = new Date(`${s.csv}T00:00:00Z`);
    next.setUTCMonth(next.getUTCMonth() + 1);
    const complete = s.start === s.csv && s.end === next.toISOString().slice(0, 10);
    s.label = `${month.slice(0, 3)} ${s.csv.slice(0, 4)}`;
    s.title = `${month} ${s.csv.slice(0, 4)}${complete ? "" : " (a part of it)"}`;
  }
}

// sum adds up the numbers of a span.
export function sum<T>(items: T[], s: Span, value: (item: T) => number): number {
  let total = 0;
  for (let i = s.from; i < s.to; i++) total += value(items[i]);
  return total;
}

// defaultStep is the step that suits so many days.
export function defaultStep(days: number): Step {
  return days <= 3 ? "hour" : days <= 120 ? "day" : days <= 800 ? "week" : "month";
}

// stepsFor are those that there is something to see of.
export function stepsFor(o: Pick<Overview, "days" | "hours">): { value: Step; name: string }[] {
  return [
    ...(o.hours.length ? [{ value: "hour" as const, name: "Hour" }] : []),
    { value: "day" as const, name: "Day" },
    ...(o.days.length > 7 ? [{ value: "week" as const, name: "Week" }] : []),
    ...(o.days.length > 31 ? [{ value: "month" as const, name: "Month" }] : []),
  ];
}
