import { useMemo } from "preact/hooks";
import { common } from "../strings/common";
import { addDays, today } from "./format";
import { parseFilter, formatFilter, type Filter } from "./filter";
import { useQuery } from "./router";

// A View is the date range and filter of a page about a monitor. It is part of the URL.
export interface View {
  range: RollingRange | ""; // a range that moves with the calendar
  start: string; // empty: a rolling range, or the monitor's most recent days
  end: string; // exclusive
  filter: Filter;
  filterText: string;
  sub: string; // id of a saved filter of the monitor, or ""
  params: ViewParams;
  setSub: (id: string) => void;
  setRange: (start: string, end: string) => void;
  setRolling: (range: RollingRange) => void;
  setFilter: (filter: Filter) => void;
}

// A FilteredView is what the filter of a view needs: which posts there are, and the filter.
export type FilteredView = Pick<View, "filter" | "setFilter" | "params" | "sub">;

// ViewParams are the parameters of a request for the posts of a view. Empty ones are not sent.
export type ViewParams = Record<"range" | "start" | "end" | "filter", string>;

// A RollingRange is a range of days relative to today that the server resolves in the time zone of
// the monitor.
export type RollingRange = keyof typeof common.dateRange.rolling;

export const isRolling = (text: string | null): text is RollingRange => text !== null && Object.hasOwn(common.dateRange.rolling, text);

// isDate reports whether a text is an existing date like 2026-02-28.
export function isDate(text: string | null): text is string {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export function useView(): View {
  const [query, change] = useQuery();
  const range = query.get("range");
  const start = query.get("start");
  const end = query.get("end");
  const filterText = query.get("filter") ?? "";
  const sub = /^\d+$/.test(query.get("sub") ?? "") ? query.get("sub")! : "";
  return useMemo(() => {
    const rolling = isRolling(range) ? range : "";
    const fixed = !rolling && isDate(start) && isDate(end) && start < end;
    const days = { range: rolling, start: fixed ? start : "", end: fixed ? end : "" } as const;
    return {
      ...days,
      filter: parseFilter(filterText),
      filterText,
      sub,
      params: { ...days, filter: filterText },
      setSub: (id: string) => change({ sub: id, offset: null }),
      setRange: (start: string, end: string) => change({ range: null, start, end }),
      setRolling: (range: RollingRange) => change({ range, start: null, end: null }),
      setFilter: (filter: Filter) => change({ filter: formatFilter(filter), offset: null }),
    };
  }, [range, start, end, filterText, sub]);
}

// rollingDays returns the days of a rolling range in a time zone. A week or month that is not over
// ends today.
export function rollingDays(range: RollingRange, zone: string): { start: string; end: string } {
  const now = today(zone);
  const tomorrow = addDays(now, 1);
  const monday = addDays(now, -((new Date(`${now}T00:00:00Z`).getUTCDay() + 6) % 7));
  const first = `${now.slice(0, 8)}01`;
  switch (range) {
    case "yesterday":
      return { start: addDays(now, -1), end: now };
    case "thisweek":
      return { start: monday, end: tomorrow };
    case "lastweek":
      return { start: addDays(monday, -7), end: monday };
    case "thismonth":
      return { start: first, end: tomorrow };
    case "lastmonth":
      return { start: `${addDays(first, -1).slice(0, 8)}01`, end: first };
    default:
      return lastDays(Number(range.slice("last".length)), zone);
  }
}

// lastDays returns the last days in a time zone, including today.
export function lastDays(days: number, zone: string): { start: string; end: string } {
  const end = addDays(today(zone), 1);
  return { start: addDays(end, -days), end };
}
