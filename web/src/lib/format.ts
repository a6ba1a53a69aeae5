// How numbers, shares and times are written.

const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compactNumbers = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

// number writes 1234567 as 1,234,567, and compact as 1.2M.
export const number = (n: number) => integers.format(n);
export const compact = (n: number) => (Math.abs(n) < 10_000 ? integers.format(n) : compactNumbers.format(n));

// percent writes a share of 0 to 1 as 43 %, and small ones with a decimal.
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  const p = share * 100;
  if (p !== 0 && Math.abs(p) < 10) return `${p.toFixed(1)} %`;
  return `${Math.round(p)} %`;
}

// percentChange writes how much more one number is than another: +12 %.
export function percentChange(now: number, before: number | null | undefined): string {
  if (before === null || before === undefined) return "";
  if (before === 0) return now === 0 ? "±0 %" : "new";
  const p = ((now - before) / before) * 100;
  const text = Math.abs(p) < 10 ? p.toFixed(1) : integers.format(Math.round(p));
  if (Number(text) === 0) return "±0 %";
  return `${p > 0 ? "+" : "−"}${text.replace("-", "")} %`;
}

export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return `${n < 10 && i > 0 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

// plural writes "1 post" and "2 posts".
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

// A Day is a date without a time, YYYY-MM-DD. Counting goes by UTC, in which all days are as long.
const utc = (date: string) => new Date(`${date}T00:00:00Z`);

export function addDays(date: string, days: number): string {
  const d = utc(date);
  d.setUTCDate(d.getUTCDate() + days);
  return d.toISOString().slice(0, 10);
}

export function daysBetween(start: string, end: string): number {
  return Math.round((utc(end).getTime() - utc(start).getTime()) / 86_400_000);
}

// day writes 2026-03-05 as 5 Mar 2026, and shortDay as Thu 5 Mar.
export function day(date: string): string {
  const d = utc(date);
  return `${d.getUTCDate()} ${months[d.getUTCMonth()]} ${d.getUTCFullYear()}`;
}
export function shortDay(date: string): string {
  const d = utc(date);
  return `${weekdays[d.getUTCDay()]} ${d.getUTCDate()} ${months[d.getUTCMonth()]}`;
}

// dateRange writes days whose end is not one of them: 1 – 31 Mar 2026.
export function dateRange(start: string, end: string): string {
  const last = addDays(end, -1);
  if (last === start) return day(start);
  const a = utc(start);
  const b = utc(last);
  if (a.getUTCFullYear() !== b.getUTCFullYear()) return `${day(start)} – ${day(last)}`;
  if (a.getUTCMonth() !== b.getUTCMonth()) return `${a.getUTCDate()} ${months[a.getUTCMonth()]} – ${day(last)}`;
  return `${a.getUTCDate()} – ${day(last)}`;
}

// today is the date on the clock of a zone.
export function today(zone = "UTC"): string {
  try {
    return new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(new Date());
  } catch {
    return new Date().toISOString().slice(0, 10);
  }
}

// dateTime writes an instant on the clock of a zone: 5 Mar 2026, 14:03.
export function dateTime(instant: string, zone?: string): string {
  const d = new Date(instant);
  if (Number.isNaN(d.getTime())) return instant;
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "medium", timeStyle: "short" }).format(d);
  } catch {
    return d.toISOString();
  }
}

// localDateTime writes a time that is already on the clock of its zone, 2026-03-05T14:03:00: 5 Mar 2026, 14:03.
export function localDateTime(local: string): string {
  return `${day(local.slice(0, 10))}, ${local.slice(11, 16)}`;
}

// timeAgo writes how long ago an instant was.
export function timeAgo(instant: string): string {
  const s = Math.max(0, (Date.now() - new Date(instant).getTime()) / 1000);
  if (s < 60) return "just now";
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ago`;
  return `${plural(Math.floor(s / 86_400), "day")} ago`;
}

// capitalize writes the first letter large.
export const capitalize = (s: string) => s.charAt(0).toUpperCase() + s.slice(1);

export const ageNames: Record<string, string> = {
  ZERO_TO_SEVENTEEN: "17 and under",
  EIGHTEEN_TO_TWENTYFOUR: "18 – 24",
  TWENTYFIVE_TO_THIRTYFOUR: "25 – 34",
  THIRTYFIVE_AND_OVER: "35 and over",
};

export const genderNames: Record<string, string> = { F: "Female", M: "Male" };

export const typeNames: Record<string, string> = { BUZZ: "Buzz", OPINION: "Opinion", SOCIAL: "Social" };

const languages = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });

// languageName is the name of a language in English: "German" for de.
export function languageName(code: string): string {
  try {
    return languages.of(code.toLowerCase()) ?? code;
  } catch {
    return code;
  }
}

export const weekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
