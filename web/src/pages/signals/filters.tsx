import { listAll } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { useQuery } from "../../lib/router";
import { severities } from "../../lib/signals";
import type { Monitor, SignalKind } from "../../lib/types";
import { Checkbox, SelectField } from "../../components/basics";
import { signals } from "../../strings/signals";

const text = signals.filters;

export const periods = [7, 30, 90, 365];
const defaultPeriod = 30;

// A SignalFilter is which signals the page shows. It is part of the URL.
export interface SignalFilter {
  monitor: string;
  state: string;
  severity: string;
  kind: string;
  mine: boolean;
  days: number;
}

export function useSignalFilter(): [SignalFilter, (changes: Record<string, string | null>) => void] {
  const [query, change] = useQuery();
  const days = Number(query.get("days"));
  const known = (name: string, values: string[]) => (values.includes(query.get(name) ?? "") ? query.get(name)! : "");
  return [
    {
      monitor: /^\d+$/.test(query.get("monitor") ?? "") ? query.get("monitor")! : "",
      state: known("state", Object.keys(text.states)),
      severity: known("severity", [...severities]),
      kind: known("kind", Object.keys(signals.kinds)),
      mine: query.get("assigned") === "me",
      days: periods.includes(days) ? days : defaultPeriod,
    },
    change,
  ];
}

// paramsOf returns the parameters of a request for the signals that a filter selects.
export function paramsOf(f: SignalFilter, rule: string | null): Record<string, string | undefined> {
  const since = new Date(Date.now() - f.days * 86_400_000);
  since.setUTCMinutes(0, 0, 0); // stays the same while the page is open
  return { monitor: f.monitor, state: f.state, severity: f.severity, kind: f.kind, assigned: f.mine ? "me" : undefined, rule: rule ?? undefined, since: since.toISOString().replace(".000", "") };
}

// isFiltered reports whether a filter hides signals.
export const isFiltered = (f: SignalFilter) => Boolean(f.monitor || f.state || f.severity || f.kind || f.mine);

// FilterBar chooses which signals the page shows.
export function FilterBar({ filter, change }: { filter: SignalFilter; change: (changes: Record<string, string | null>) => void }) {
  const { data: monitors } = useLoad("monitors", () => listAll<Monitor>("/manage/v1/monitors"));
  const names = (monitors ?? []).flatMap((m) => [{ value: String(m.id), name: m.name }, ...m.filters.map((f) => ({ value: String(f.id), name: `${m.name}: ${f.name}` }))]).sort((a, b) => a.name.localeCompare(b.name));
  const set = (name: string) => (value: string) => change({ [name]: value || null });
  return (
    <div class="signal-filters" role="group" aria-label={text.label}>
      <SelectField label={text.state} value={filter.state} onChange={set("state")} options={Object.entries(text.states).map(([value, name]) => ({ value, name }))} />
      <SelectField label={text.severity} value={filter.severity} onChange={set("severity")} options={[{ value: "", name: text.anySeverity }, ...severities.map((s) => ({ value: s, name: signals.severities[s] }))]} />
      <SelectField label={text.kind} value={filter.kind} onChange={set("kind")} options={[{ value: "", name: text.anyKind }, ...(Object.keys(signals.kinds) as SignalKind[]).map((k) => ({ value: k, name: signals.kinds[k] }))]} />
      <SelectField label={text.monitor} value={filter.monitor} onChange={set("monitor")} options={[{ value: "", name: text.allMonitors }, ...names]} />
      <SelectField label={text.period} value={String(filter.days)} onChange={(d) => change({ days: d === String(defaultPeriod) ? null : d })} options={periods.map((d) => ({ value: String(d), name: text.days(d) }))} />
      <Checkbox label={text.mine} checked={filter.mine} onChange={(on) => change({ assigned: on ? "me" : null })} />
    </div>
  );
}
