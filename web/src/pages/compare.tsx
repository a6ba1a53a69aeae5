import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { useLoad } from "../lib/load";
import { addDays, day, daysBetween, today } from "../lib/format";
import { useQuery } from "../lib/router";
import type { Overview, SummaryItem, SummaryResponse } from "../lib/types";
import { isDate, lastDays, useView } from "../lib/view";
import { ApiLink } from "../components/apilink";
import { EmptyState, ErrorNotice, PageHeader, SegmentedControl, TextField, Skeleton } from "../components/basics";
import { DateRange } from "../components/daterange";
import { Picker, type PickerOption } from "../components/picker";
import { CompareCharts, type Side } from "./compare/charts";
import { common } from "../strings/common";
import { compare } from "../strings/compare";

const maxMonitors = 6;
const overviewParts = "days,categories,emotions,hashtags,sources,languages,authors,places,ages,genders";

// ComparePage compares monitors with each other or with another period. The URL has the ids of the
// monitors in m, and the first day of the other period in before.
export function ComparePage() {
  const [query, change] = useQuery();
  const view = useView();
  const monitors = useLoad("summary", () => get<SummaryResponse>("/manage/v1/summary", { days: 1 }));
  const ids = (query.get("m") ?? "").split(",").filter((x) => /^\d+$/.test(x)).slice(0, maxMonitors);
  const selected = (monitors.data?.items ?? []).filter((m) => ids.includes(String(m.id)));
  const zone = selected[0]?.timezone ?? "UTC";
  const days = view.start ? { start: view.start, end: view.end } : lastDays(30, zone);
  const length = daysBetween(days.start, days.end);
  const before = query.get("before");
  const other = isDate(before) ? before : "";
  const sides: { id: string; start: string; end: string; name: string }[] = ids.flatMap((id) => {
    const name = selected.find((m) => String(m.id) === id)?.name ?? id;
    if (!other) return [{ id, ...days, name }];
    const otherName = { previous: compare.previous, year: compare.year, custom: compare.custom }[periodOf(other, days.start, length)];
    return [
      { id, ...days, name: compare.current(name) },
      { id, start: other, end: addDays(other, length), name: otherName(name, day(other)) },
    ];
  });
  const key = sides.map((s) => `${s.id} ${s.start} ${s.end}`).join("|");
  const loaded = useLoad(monitors.data && sides.length ? `compare ${key}` : null, (signal) =>
    Promise.all(sides.map(async (s): Promise<Side> => ({ name: s.name, o: await get<Overview>(`/manage/v1/monitors/${s.id}/overview`, { start: s.start, end: s.end, parts: overviewParts }, signal) }))),
  );
  return (
    <>
      <PageHeader title={common.pages.compare} lead={compare.lead}>
        {ids.length > 0 && <ApiLink />}
      </PageHeader>
      {monitors.error && <ErrorNotice error={monitors.error} retry={monitors.reload} />}
      {monitors.data && (
        <div class="card stack" style={{ marginBottom: "1rem" }}>
          <Picker
            label={common.words.monitors}
            hint={compare.maxMonitors(maxMonitors)}
            values={selected.map(toOption)}
            options={ids.length < maxMonitors ? monitors.data.items.map(toOption) : []}
            onChange={(values) => change({ m: values.map((v) => v.id).join(",") })}
          />
          <div class="row">
            <DateRange view={view} zone={zone} />
          </div>
          <ComparisonPeriod value={other} start={days.start} length={length} onChange={(before) => change({ before })} />
        </div>
      )}
      {!monitors.data && !monitors.error && <Skeleton />}
      {monitors.data && ids.length === 0 && <EmptyState title={compare.empty}>{compare.emptyHint}</EmptyState>}
      {loaded.error && <ErrorNotice error={loaded.error} retry={loaded.reload} />}
      {ids.length > 0 && !loaded.data && !loaded.error && <Skeleton height="24rem" label={compare.counting} />}
      {loaded.data && loaded.data.length > 0 && ids.length > 0 && <CompareCharts sides={loaded.data} file={`compare-${days.start}-${days.end}`} />}
    </>
  );
}

const toOption = (m: SummaryItem): PickerOption => ({ id: String(m.id), name: m.name });

// previousStart and yearStart return the first day of the period right before one that starts on a
// day, and of the period 52 weeks earlier, which has the same weekdays.
const previousStart = (start: string, length: number) => addDays(start, -length);
const yearStart = (start: string) => addDays(start, -364);

// periodOf returns the kind of period that starts on the day other.
function periodOf(other: string, start: string, length: number): "previous" | "year" | "custom" {
  return other === previousStart(start, length) ? "previous" : other === yearStart(start) ? "year" : "custom";
}

// ComparisonPeriod selects another period of the same length to compare with. value is its first
// day, or "".
function ComparisonPeriod({ value, start, length, onChange }: { value: string; start: string; length: number; onChange: (before: string | null) => void }) {
  const kind = value ? periodOf(value, start, length) : "none";
  const [custom, setCustom] = useState(false);
  return (
    <div class="row">
      <span class="muted">{compare.period.label}</span>
      <SegmentedControl
        label={compare.period.label}
        value={custom ? "custom" : kind}
        options={[
          { value: "none", name: compare.period.none },
          { value: "previous", name: compare.period.previous },
          { value: "year", name: compare.period.year },
          { value: "custom", name: compare.period.custom },
        ]}
        onChange={(v) => {
          setCustom(v === "custom");
          const previous = previousStart(start, length);
          onChange(v === "none" ? null : v === "previous" ? previous : v === "year" ? yearStart(start) : value || previous);
        }}
      />
      {(custom || kind === "custom") && <TextField label={compare.period.from} type="date" value={value} max={today()} onInput={(v) => v && onChange(v)} />}
    </div>
  );
}
