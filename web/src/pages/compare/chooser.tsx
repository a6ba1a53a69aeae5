import { useEffect, useRef } from "preact/hooks";
import { alikeTo, companyOf } from "../../lib/alike";
import { seriesColor } from "../../lib/color";
import { formatFilter, parseFilter } from "../../lib/filter";
import { addDays } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { Monitor } from "../../lib/types";
import { lastDays, type FilteredView, type RollingRange } from "../../lib/view";
import { AddFilter } from "../../components/addfilter";
import { SelectField, TextField } from "../../components/basics";
import { FilterChips } from "../../components/filterchips";
import { Icon } from "../../components/icon";
import { Picker, type PickerOption } from "../../components/picker";
import { Popover } from "../../components/popover";
import { maxRows, monitorOf, noDates, type Dates, type Row } from "./rows";
import { common } from "../../strings/common";
import { compare } from "../../strings/compare";

interface Props {
  rows: Row[];
  labels: string[];
  monitors: Monitor[];
  onChange: (rows: Row[]) => void;
}

const rowOf = (id: string): Row => ({ id, filter: "", dates: noDates });

// Chooser selects the rows and their order. Each row is a chip that opens its settings. The arrow
// keys with Alt move it.
export function Chooser({ rows, labels, monitors, onChange }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const focus = useRef(-1); // the row to focus after the next rendering
  useEffect(() => {
    if (focus.current < 0) return;
    list.current?.querySelectorAll<HTMLElement>(".compare-row > .anchor > button")[focus.current]?.focus();
    focus.current = -1;
  });
  const move = (from: number, to: number) => {
    if (to < 0 || to >= rows.length) return;
    const moved = rows.filter((_, i) => i !== from);
    moved.splice(to, 0, rows[from]);
    focus.current = to;
    onChange(moved);
  };
  const remove = (at: number) => {
    focus.current = Math.min(at, rows.length - 2);
    onChange(rows.filter((_, i) => i !== at));
  };
  const add = (row: Row) => onChange([...rows, row]);
  const full = rows.length >= maxRows;
  return (
    <div class="stack tight">
      {rows.length > 0 && (
        <ol class="row" ref={list} aria-label={compare.rows.list}>
          {rows.map((row, i) => (
            <RowChip
              key={i}
              row={row}
              label={labels[i]}
              position={i}
              of={rows.length}
              monitors={monitors}
              onChange={(changed) => onChange(rows.map((r, k) => (k === i ? changed : r)))}
              onMove={(to) => move(i, to)}
              onCopy={full ? undefined : () => onChange([...rows.slice(0, i + 1), row, ...rows.slice(i + 1)])}
              onRemove={() => remove(i)}
            />
          ))}
        </ol>
      )}
      <Picker
        label={compare.rows.add}
        hint={full ? compare.rows.full(maxRows) : undefined}
        values={[]}
        single
        placeholder={full ? undefined : compare.rows.placeholder}
        options={full ? [] : optionsOf(monitors)}
        onChange={([option]) => add(rowOf(option.id))}
      />
      {rows.length < 2 && <Suggestions row={rows[0]} monitors={monitors} onAdd={(added) => onChange([...rows, ...added])} />}
    </div>
  );
}

const optionsOf = (monitors: Monitor[]): PickerOption[] => monitors.flatMap((m) => [{ id: String(m.id), name: m.name }, ...m.filters.map((f) => ({ id: String(f.id), name: compare.rows.saved(m.name, f.name), note: common.filter.savedFilter }))]);

const suggested = 4; // monitors

// Suggestions offers monitors of the same team to compare the only row with, those that are most like it
// first. Without a row, it offers monitors to begin with: those that have most in common.
function Suggestions({ row, monitors, onAdd }: { row?: Row; monitors: Monitor[]; onAdd: (rows: Row[]) => void }) {
  const enabled = monitors.filter((m) => m.enabled);
  const current = row ? monitorOf(monitors, row.id)?.monitor : [...enabled].sort((a, b) => companyOf(b, enabled) - companyOf(a, enabled))[0];
  if (!current) return null;
  const alike = alikeTo(current, enabled);
  const others = (row ? alike : [current, ...alike]).slice(0, suggested);
  if (others.length === 0) return null;
  return (
    <div class="row" role="group" aria-label={compare.rows.suggestions}>
      <span class="muted">{row ? compare.rows.suggestions : compare.rows.start}</span>
      {others.map((m) => (
        <button key={m.id} type="button" class="button small" onClick={() => onAdd([rowOf(String(m.id))])}>
          <Icon name="plus" />
          <span class="clip">{m.name}</span>
        </button>
      ))}
      {others.length > 1 && (
        <button type="button" class="button small" onClick={() => onAdd(others.map((m) => rowOf(String(m.id))))}>
          {compare.rows.all(others.length)}
        </button>
      )}
    </div>
  );
}

interface ChipProps {
  row: Row;
  label: string;
  position: number;
  of: number;
  monitors: Monitor[];
  onChange: (row: Row) => void;
  onMove: (to: number) => void;
  onCopy?: () => void;
  onRemove: () => void;
}

function RowChip({ row, label, position, of, monitors, onChange, onMove, onCopy, onRemove }: ChipProps) {
  const dark = useDark();
  const found = monitorOf(monitors, row.id);
  const onKeyDown = (e: KeyboardEvent) => {
    const step = e.altKey && { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!step || (e.target as HTMLElement).closest(".popover")) return;
    e.preventDefault();
    onMove(position + step);
  };
  return (
    <li class="chip compare-row" onKeyDown={onKeyDown}>
      <Popover
        class="compare-chip"
        label={compare.rows.edit(label, position + 1, of)}
        title={compare.rows.editTitle}
        button={
          <>
            <i class="dot" style={{ background: seriesColor(position, dark) }} />
            <span class="clip">{label}</span>
            <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <div class="stack tight compare-editor">
            {found && found.monitor.filters.length > 0 && (
              <SelectField
                label={common.filter.savedFilter}
                value={row.id}
                onChange={(id) => onChange({ ...row, id })}
                options={[{ value: String(found.monitor.id), name: common.filter.allPosts }, ...found.monitor.filters.map((f) => ({ value: String(f.id), name: f.name }))]}
              />
            )}
            <RowDates dates={row.dates} zone={found?.monitor.timezone ?? "UTC"} onChange={(dates) => onChange({ ...row, dates })} />
            {found && <RowFilter m={found.monitor} row={row} onChange={onChange} />}
            <div class="row">
              <button type="button" class="button small" disabled={position === 0} onClick={() => (close(), onMove(position - 1))}>
                {compare.rows.moveLeft}
              </button>
              <button type="button" class="button small" disabled={position === of - 1} onClick={() => (close(), onMove(position + 1))}>
                {compare.rows.moveRight}
              </button>
              <button type="button" class="button small" disabled={!onCopy} onClick={() => (close(), onCopy?.())}>
                {compare.rows.duplicate}
              </button>
            </div>
          </div>
        )}
      </Popover>
      <button type="button" aria-label={common.picker.remove(label)} onClick={onRemove}>
        ×
      </button>
    </li>
  );
}

const rolling = Object.entries(common.dateRange.rolling) as [RollingRange, string][];

// RowDates selects the dates of a row: those of all rows, a rolling range, or a first and last day.
function RowDates({ dates, zone, onChange }: { dates: Dates; zone: string; onChange: (dates: Dates) => void }) {
  const value = dates.range || (dates.start ? "custom" : "");
  return (
    <>
      <SelectField
        label={compare.rows.dates}
        value={value}
        onChange={(v) => onChange(v === "custom" ? { range: "", ...lastDays(30, zone) } : { ...noDates, range: v as RollingRange | "" })}
        options={[{ value: "", name: compare.rows.sameDates }, ...rolling.map(([value, name]) => ({ value: value as string, name })), { value: "custom", name: compare.period.custom }]}
      />
      {value === "custom" && (
        <div class="row">
          <TextField label={common.dateRange.from} type="date" value={dates.start} onInput={(start) => start && onChange({ ...dates, start, end: dates.end > start ? dates.end : addDays(start, 1) })} />
          <TextField label={common.dateRange.to} type="date" value={addDays(dates.end, -1)} min={dates.start} onInput={(last) => last && last >= dates.start && onChange({ ...dates, end: addDays(last, 1) })} />
        </div>
      )}
    </>
  );
}

// RowFilter changes the filter of a row.
function RowFilter({ m, row, onChange }: { m: Monitor; row: Row; onChange: (row: Row) => void }) {
  const view: FilteredView = {
    filter: parseFilter(row.filter),
    setFilter: (filter) => onChange({ ...row, filter: formatFilter(filter) }),
    params: { ...row.dates, filter: row.filter },
    sub: row.id === String(m.id) ? "" : row.id,
  };
  return (
    <>
      <AddFilter m={m} view={view} />
      <FilterChips m={m} view={view} />
    </>
  );
}
