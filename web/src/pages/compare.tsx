import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { useLoad } from "../lib/load";
import { addDays, daysBetween, today } from "../lib/format";
import { useQuery } from "../lib/router";
import type { Overview, SummaryItem, SummaryResponse } from "../lib/types";
import { isDate, lastDays, useView } from "../lib/view";
import { ApiLink } from "../components/apilink";
import { EmptyState, ErrorNotice, PageHeader, SegmentedControl, TextField, Skeleton } from "../components/basics";
import { DateRange } from "../components/daterange";
import { Picker, type PickerOption } from "../components/picker";
import { CompareCharts, type Side } from "./compare/charts";

const maxMonitors = 6;
const overviewParts = "days,categories,emotions,hashtags,sources,languages,authors,places,ages,genders";

// ComparePage holds monitors against each other, or the same ones in another period. What is compared is in the address:
// m has the ids of monitors, and with=before another start.
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
    const now = { id, ...days, name };
    return other ? [{ ...now, name: `${name}, these days` }, { id, start: other, end: addDays(other, length), name: `${name}, from ${other}` }] : [now];
  });
  const key = sides.map((s) => `${s.id} ${s.start} ${s.end}`).join("|");
  const loaded = useLoad(monitors.data && sides.length ? `compare ${key}` : null, (signal) =>
    Promise.all(sides.map(async (s): Promise<Side> => ({ name: s.name, o: await get<Overview>(`/manage/v1/monitors/${s.id}/overview`, { start: s.start, end: s.end, parts: overviewParts }, signal) }))),
  );
  return (
    <>
      <PageHeader title="Compare" lead="Two or more monitors side by side, or the same days of another time.">
        {ids.length > 0 && <ApiLink />}
      </PageHeader>
      {monitors.error && <ErrorNotice error={monitors.error} retry={monitors.reload} />}
      {monitors.data && (
        <div class="card stack" style={{ marginBottom: "1rem" }}>
          <Picker
            label="Monitors"
            hint={`Up to ${maxMonitors}`}
            values={selected.map(toOption)}
            options={ids.length < maxMonitors ? monitors.data.items.map(toOption) : []}
            onChange={(values) => change({ m: values.map((v) => v.id).join(",") })}
          />
          <div class="row">
            <DateRange start={view.start} end={view.end} zone={zone} onChange={view.setRange} />
          </div>
          <ComparisonPeriod value={other} start={days.start} length={length} onChange={(before) => change({ before })} />
        </div>
      )}
      {!monitors.data && !monitors.error && <Skeleton />}
      {monitors.data && ids.length === 0 && <EmptyState title="Choose what to compare">Take two monitors, or one and another period.</EmptyState>}
      {loaded.error && <ErrorNotice error={loaded.error} retry={loaded.reload} />}
      {ids.length > 0 && !loaded.data && !loaded.error && <Skeleton height="24rem" label="Counting posts" />}
      {loaded.data && loaded.data.length > 0 && ids.length > 0 && <CompareCharts sides={loaded.data} file={`compare-${days.start}-${days.end}`} />}
    </>
  );
}

const toOption = (m: SummaryItem): PickerOption => ({ id: String(m.id), name: m.name });

// ComparisonPeriod chooses another period of the same length to hold the days against.
function ComparisonPeriod({ value, start, length, onChange }: { value: string; start: string; length: number; onChange: (before: string | null) => void }) {
  const previous = addDays(start, -length);
  const year = addDays(start, -364); // the same weekdays
  const kind = !value ? "no" : value === previous ? "previous" : value === year ? "year" : "other";
  const [custom, setCustom] = useState(false);
  return (
    <div class="row">
      <span class="muted">Against</span>
      <SegmentedControl
        label="Another period"
        value={custom ? "other" : kind}
        options={[
          { value: "no", name: "Nothing" },
          { value: "previous", name: "The days before" },
          { value: "year", name: "A year before" },
          { value: "other", name: "Other days" },
        ]}
        onChange={(v) => {
          setCustom(v === "other");
          onChange(v === "no" ? null : v === "previous" ? previous : v === "year" ? year : value || previous);
        }}
      />
      {(custom || kind === "other") && <TextField label="From" type="date" value={value} max={today()} onInput={(v) => v && onChange(v)} />}
    </div>
  );
}
