import { useMemo } from "preact/hooks";
import { addDays, daysBetween, today } from "./format";
import { parseFilter, formatFilter, type Filter } from "./filter";
import { useQuery } from "./router";

// A View is which days and which posts of a monitor are looked at; it is part of the address.
export interface View {
  start: string; // empty: the last days that there are
  end: string; // not included
  filter: Filter;
  filterText: string;
  sub: string; // id of a saved filter of the monitor, or empty
  setSub: (id: string) => void;
  setRange: (start: string, end: string) => void;
  setFilter: (filter: Filter) => void;
}

// isDate reports whether a text is a day, such as 2026-02-28.
export function isDate(text: string | null): text is string {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export function useView(): View {
  const [query, change] = useQuery();
  const start = query.get("start");
  const end = query.get("end");
  const filterText = query.get("filter") ?? "";
  const sub = /^\d+$/.test(query.get("sub") ?? "") ? query.get("sub")! : "";
  return useMemo(() => {
    const valid = isDate(start) && isDate(end) && start < end;
    return {
      start: valid ? start : "",
      end: valid ? end : "",
      filter: parseFilter(filterText),
      filterText,
      sub,
      setSub: (id: string) => change({ sub: id, offset: null }),
      setRange: (start: string, end: string) => change({ start, end }),
      setFilter: (filter: Filter) => change({ filter: formatFilter(filter), offset: null }),
    };
  }, [start, end, filterText, sub]);
}

export interface Preset {
  id: string;
  name: string;
  days: number;
}

export const presets: Preset[] = [
  { id: "7", name: "7 days", days: 7 },
  { id: "30", name: "30 days", days: 30 },
  { id: "90", name: "90 days", days: 90 },
  { id: "365", name: "Year", days: 365 },
];

// lastDays returns the last so many days up to today on the clock of a zone.
export function lastDays(days: number, zone: string): { start: string; end: string } {
  const end = addDays(today(zone), 1);
  return { start: addDays(end, -days), end };
}

// presetOf returns the preset that a range is, if it ends with today.
export function presetOf(start: string, end: string, zone: string): string {
  if (end !== addDays(today(zone), 1)) return "";
  return presets.find((p) => p.days === daysBetween(start, end))?.id ?? "";
}
