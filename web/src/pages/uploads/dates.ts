// Parses the dates in files. The server accepts only ISO 8601; other formats are converted before
// the upload.
import { toUTC } from "../../lib/zone";
import { uploads } from "../../strings/uploads";

export type DateFormat = keyof typeof uploads.dateFormats;

export const dateFormats = Object.entries(uploads.dateFormats).map(([value, name]) => ({ value, name }));

const clock = "(?:[T,\\s]+(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,]\\d+)?)?\\s*([ap]\\.?m\\.?)?)?\\s*(Z|UTC|GMT|[+-]\\d{2}:?\\d{2})?$";
const yearFirst = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})${clock}`, "i");
const yearLast = new RegExp(`^(\\d{1,2})[-/.](\\d{1,2})[-/.](\\d{4})${clock}`, "i");

// toTimestamp converts a date to ISO 8601, for example 2026-01-31T08:30:00Z. It returns null if the
// text is not a date in this format. Dates without an offset are in the given time zone.
export function toTimestamp(text: string, format: DateFormat, zone: string): string | null {
  const trimmed = text.trim();
  if (format === "seconds" || format === "milliseconds") return fromEpoch(trimmed, format === "seconds" ? 1000 : 1);
  const match = (format === "year" ? yearFirst : yearLast).exec(trimmed);
  if (!match) return null;
  const [year, month, day] = format === "year" ? [1, 2, 3] : format === "day" ? [3, 2, 1] : [3, 1, 2];
  const date = [match[year], match[month], match[day]].map(Number);
  const [hour, minute, second] = [hours(Number(match[4] ?? 0), match[7]), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  const time = Date.UTC(date[0], date[1] - 1, date[2], hour, minute, second);
  const written = new Date(time);
  const exists = written.getUTCMonth() === date[1] - 1 && written.getUTCDate() === date[2] && hour < 24 && minute < 60 && second < 60;
  if (!exists) return null;
  const local = written.toISOString().slice(0, 19);
  if (match[8]) return local + offset(match[8]);
  return zone === "UTC" ? `${local}Z` : new Date(toUTC(time, zone)).toISOString().slice(0, 19) + "Z";
}

function hours(hour: number, half: string | undefined): number {
  if (!half) return hour;
  return half.toLowerCase().startsWith("p") ? (hour % 12) + 12 : hour % 12;
}

function offset(text: string): string {
  if (/^[a-z]/i.test(text)) return "Z";
  return text.includes(":") ? text : `${text.slice(0, 3)}:${text.slice(3)}`;
}

function fromEpoch(text: string, factor: number): string | null {
  if (!/^\d+(\.\d+)?$/.test(text)) return null;
  const date = new Date(Number(text) * factor);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 19) + "Z";
}

// guessFormat returns the format that matches the most dates. Numbers of 12 or more digits are
// milliseconds.
export function guessFormat(dates: string[]): DateFormat {
  const fitting = (format: DateFormat) => dates.filter((d) => toTimestamp(d, format, "UTC") !== null).length;
  const numbers = dates.filter((d) => /^\d+(\.\d+)?$/.test(d.trim()));
  if (numbers.length > dates.length / 2) return numbers.some((d) => d.trim().length >= 12) ? "milliseconds" : "seconds";
  return (["year", "day", "month"] as const).reduce((a, b) => (fitting(b) > fitting(a) ? b : a));
}
