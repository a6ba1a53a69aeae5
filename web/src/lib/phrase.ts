// Understands what people type into the command palette: "negative last week Germany",
// "#paytobrew Nov 11", "sadness 30 days morvessa". What it does not know is searched for.
import { quoteTerm, withValue, type Filter, type FilterField } from "./filter";
import { addDays } from "./format";
import type { RollingRange } from "./view";
import { common } from "../strings/common";
import { monthNames } from "../strings/format";
import { phrase as text } from "../strings/phrase";

interface Named {
  id: string;
  name: string;
}

// A Vocabulary has the names that a phrase may contain.
export interface Vocabulary {
  monitors: Named[];
  countries: Named[];
  languages: Named[];
  sources: string[];
  today: string; // ISO date
}

// A Phrase is what a text means.
export interface Phrase {
  monitor: string; // id, or ""
  filter: Filter;
  days: { range?: RollingRange; start?: string; end?: string }; // end is exclusive
  names: string[]; // of the values of the filter
  words: string; // to search for, as a query
}

const fold = (s: string) => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const escape = (s: string) => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const end = "(?=[\\s,]|$)"; // of a word
const month = `(${monthNames.map((m) => `${m}|${m.slice(0, 3)}`).join("|")}|sept)\\.?`;
const date = `${month}\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(20\\d\\d))?`;
const dash = "\\s*(?:-|–|to|until|through)\\s*";
const iso = "(\\d{4}-\\d{2}-\\d{2})";
const rule = (pattern: string) => new RegExp(`^(?:${pattern})${end}`, "i");

// Rules for dates, in the order in which they are tried. Each returns the days, or null if there are
// no such days.
type Days = Phrase["days"] | null;
const dateRules: [RegExp, (m: RegExpMatchArray, today: string) => Days][] = [
  [rule("today"), (_, today) => day(today)],
  [rule("yesterday"), () => ({ range: "yesterday" })],
  [rule("(this|last|past)\\s+(week|month)"), (m) => ({ range: `${m[1].toLowerCase() === "this" ? "this" : "last"}${m[2].toLowerCase()}` as RollingRange })],
  [rule("(?:(?:the\\s+)?(?:last|past)\\s+)?(\\d{1,3})\\s+(day|week|month)s?"), (m, today) => lastDays(Number(m[1]) * { day: 1, week: 7, month: 30 }[m[2].toLowerCase() as "day"], today)],
  [rule(`${iso}${dash}${iso}`), (m) => between(m[1], m[2])],
  [rule(iso), (m) => day(m[1])],
  [rule(`${date}${dash}${date}`), (m, today) => span(dateOf(m[1], m[2], m[3] ?? m[6], today), m[4], m[5])],
  [rule(`${month}\\s+(\\d{1,2})${dash}(\\d{1,2})(?:,?\\s+(20\\d\\d))?`), (m, today) => span(dateOf(m[1], m[2], m[4], today), m[1], m[3])],
  [rule(date), (m, today) => day(dateOf(m[1], m[2], m[3], today))],
  [rule(`(\\d{1,2})\\s+${month}(?:\\s+(20\\d\\d))?`), (m, today) => day(dateOf(m[2], m[1], m[3], today))],
];

// exists reports whether there is such a day.
function exists(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

const day = (d: string): Days => between(d, d);
const between = (first: string, last: string): Days => (exists(first) && exists(last) && first <= last ? { start: first, end: addDays(last, 1) } : null);

function lastDays(n: number, today: string): Days {
  const range = `last${n}`;
  if (Object.hasOwn(common.dateRange.rolling, range)) return { range: range as RollingRange };
  return n > 0 ? { start: addDays(today, 1 - n), end: addDays(today, 1) } : null;
}

// span returns the days from a date to the next one with a month and a day.
function span(first: string, month: string, dayOfMonth: string): Days {
  const year = Number(first.slice(0, 4));
  const last = dateOf(month, dayOfMonth, String(year), first);
  return between(first, last < first ? dateOf(month, dayOfMonth, String(year + 1), first) : last);
}

// dateOf returns a date as ISO. Without a year, it is the latest one that is not after another date.
function dateOf(name: string, dayOfMonth: string, year: string | undefined, notAfter: string): string {
  const number = monthNames.findIndex((m) => m.toLowerCase().startsWith(name.toLowerCase().slice(0, 3))) + 1;
  const rest = `-${String(number).padStart(2, "0")}-${dayOfMonth.padStart(2, "0")}`;
  const latest = notAfter.slice(0, 4) + rest;
  return year ? year + rest : latest <= notAfter ? latest : `${Number(notAfter.slice(0, 4)) - 1}${rest}`;
}

// A Term is a value of the filter that words stand for.
interface Term {
  word: string; // folded
  field: FilterField | "monitor";
  value: string;
  name: string;
}

// termsOf returns what the words of a vocabulary stand for, longest first.
function termsOf(v: Vocabulary): Term[] {
  const named = (list: Named[], field: Term["field"]) => list.map((x): Term => ({ word: fold(x.name), field, value: x.id, name: x.name }));
  const fixed = Object.entries(text.words).flatMap(([field, values]) =>
    Object.entries(values).flatMap(([value, { name, words }]) => words.map((word): Term => ({ word, field: field as FilterField, value, name }))),
  );
  const aliases = v.countries.flatMap((c) => (text.countries[c.id] ?? []).map((word): Term => ({ word, field: "geolocation", value: c.id, name: c.name })));
  const sources = v.sources.map((name): Term => ({ word: fold(name), field: "source", value: name, name }));
  const all = [...named(v.monitors, "monitor"), ...fixed, ...aliases, ...named(v.countries, "geolocation"), ...named(v.languages, "language"), ...sources];
  return all.sort((a, b) => b.word.length - a.word.length);
}

// parsePhrase returns what a text means. Words that stand for nothing are searched for.
export function parsePhrase(input: string, v: Vocabulary): Phrase {
  const found: Phrase = { monitor: "", filter: {}, days: {}, names: [], words: "" };
  const words: string[] = [];
  const terms = termsOf(v).map((t) => ({ ...t, rule: rule(escape(t.word)) }));
  const add = (field: FilterField, value: string, name: string) => {
    found.filter = withValue(found.filter, field, value);
    if (!found.names.includes(name)) found.names.push(name);
  };
  // take consumes what the text begins with, and returns its length, or 0 if it stands for nothing.
  const take = (rest: string): number => {
    for (const [pattern, daysOf] of dateRules) {
      const m = rest.match(pattern);
      const days = m && daysOf(m, v.today);
      if (days) {
        found.days = days;
        return m[0].length;
      }
    }
    const hashtag = rest.match(/^#([\p{L}\p{N}_]+)/u);
    if (hashtag) {
      add("hashtag", hashtag[1].toLowerCase(), hashtag[0]);
      return hashtag[0].length;
    }
    const folded = fold(rest).length === rest.length ? fold(rest) : rest.toLowerCase(); // of the same length
    const term = terms.find((t) => !(t.field === "monitor" && found.monitor) && t.rule.test(folded));
    if (!term) return 0;
    if (term.field === "monitor") found.monitor = term.value;
    else add(term.field, term.value, term.name);
    return term.word.length;
  };
  for (let rest = input.normalize("NFC").trim(); rest; rest = rest.replace(/^[\s,]+/, "")) {
    const filler = rest.match(text.filler)?.[0].length ?? 0;
    const plain = take(rest);
    const taken = plain || (filler && take(rest.slice(filler)));
    if (taken) {
      rest = rest.slice(plain || filler + taken);
      continue;
    }
    const word = rest.match(/^("[^"]*"|[^\s,]+)/)?.[0] ?? rest;
    if (!text.ignored.test(word)) words.push(word.startsWith('"') && word.length > 2 && word.endsWith('"') ? word : quoteTerm(word));
    rest = rest.slice(word.length);
  }
  found.words = words.join(" AND ");
  if (found.words) found.filter = withValue(found.filter, "keywords", found.words);
  return found;
}
