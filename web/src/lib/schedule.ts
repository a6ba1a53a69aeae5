// Schedules of reports. The server knows them as cron expressions; people choose from a few simple
// kinds.
import { weekdayNames } from "./format";

// A Schedule is a cron expression as simple choices. One that these cannot express is custom.
export interface Schedule {
  every: "day" | "week" | "month" | "custom";
  weekdays: number[]; // of a weekly one: 0 Sunday to 6 Saturday
  date: number; // of a monthly one: 1 to 28, or lastDay
  time: string; // 08:00
  cron: string; // of a custom one
}

// lastDay is the last day of a month, however long it is.
export const lastDay = 0;

// weekdays lists the days of the week in the order in which pages show them.
export const weekdays = [1, 2, 3, 4, 5, 6, 0];

export const weekdayName = (day: number) => weekdayNames[(day + 6) % 7];

const simple = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}|L) \* (\*|[0-7](?:[,-][0-7])*)$/;

// parseCron reads a cron expression.
export function parseCron(cron: string): Schedule {
  const custom: Schedule = { every: "custom", weekdays: [1], date: 1, time: "08:00", cron };
  const parts = simple.exec(cron.trim().replace(/\s+/g, " "));
  if (!parts) return custom;
  const [minute, hour] = [Number(parts[1]), Number(parts[2])];
  const [, , , date, days] = parts;
  if (minute > 59 || hour > 23) return custom;
  const at = { ...custom, time: `${pad(hour)}:${pad(minute)}` };
  if (date === "*" && days === "*") return { ...at, every: "day" };
  if (date === "*") return { ...at, every: "week", weekdays: parseWeekdays(days) };
  if (days !== "*" || Number(date) > 28 || date === "0") return custom;
  return { ...at, every: "month", date: date === "L" ? lastDay : Number(date) };
}

// formatCron returns the cron expression of a schedule.
export function formatCron(s: Schedule): string {
  if (s.every === "custom") return s.cron.trim();
  const [hour, minute] = s.time.split(":").map(Number);
  const date = s.every !== "month" ? "*" : s.date === lastDay ? "L" : s.date;
  return `${minute} ${hour} ${date} * ${s.every === "week" ? formatWeekdays(s.weekdays) : "*"}`;
}

const pad = (n: number) => String(n).padStart(2, "0");

// parseWeekdays reads days like "1", "1,3" and "1-5". 7 is Sunday, too.
function parseWeekdays(text: string): number[] {
  const days = text.split(",").flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => (from + i) % 7);
  });
  return weekdays.filter((d) => days.includes(d));
}

function formatWeekdays(days: number[]): string {
  const sorted = weekdays.filter((d) => days.includes(d));
  return sorted.join() === "1,2,3,4,5" ? "1-5" : sorted.join(",");
}
