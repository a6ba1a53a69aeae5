import { useMemo } from "preact/hooks";
import { common } from "../strings/common";
import { addDays, daysBetween, today } from "./format";
import { parseFilter, formatFilter, type Filter } from "./filter";
import { useQuery } from "./router";

// A View is the date range and filter of a page about a monitor. It is part of the URL.
export interface View {
  start: string; // empty: the monitor's most recent days
  end: string; // exclusive
  filter: Filter;
  filterText: string;
  sub: string; // id of a saved filter of the monitor, or ""
  setSub: (id: string) => void;
  setRange: (start: string, end: string) => void;
  setFilter: (filter: Filter) => void;
}

// isDate reports whether a text is an existing date like 2026-02-28.
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

// A Preset is a date range of a number of days that ends today.
export interface Preset {
  id: string;
  name: string;
  days: number;
}

export const presets: Preset[] = [7, 30, 90, 365].map((days) => ({ id: String(days), name: common.dateRange.presets[days], days }));

// lastDays returns the last days in a time zone, including today.
export function lastDays(days: number, zone: string): { start: string; end: string } {
  const end = addDays(today(zone), 1);
  return { start: addDays(end, -days), end };
}

// presetOf returns the id of the preset that equals a range, or "".
export function presetOf(start: string, end: string, zone: string): string {
  if (end !== addDays(today(zone), 1)) return "";
  return presets.find((p) => p.days === daysBetween(start, end))?.id ?? "";
}
