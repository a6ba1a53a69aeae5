import { useState } from "preact/hooks";
import { addDays, dateRange, today } from "../lib/format";
import { lastDays, presetOf, presets } from "../lib/view";
import { SegmentedControl, TextField } from "./basics";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { common } from "../strings/common";

interface Props {
  start: string; // empty: no dates are chosen
  end: string;
  counted?: { start: string; end: string }; // the dates to show if none are chosen
  zone: string;
  first?: string; // first day with data; enables "All time"
  onChange: (start: string, end: string) => void;
}

// DateRange selects a date range: a preset such as the last 7 days, or a start and an end date.
export function DateRange({ start, end, counted, zone, first, onChange }: Props) {
  const shown = start ? { start, end } : counted?.start ? { start: counted.start, end: counted.end } : lastDays(30, zone);
  const preset = presetOf(shown.start, shown.end, zone);
  return (
    <div class="row">
      <SegmentedControl
        label={common.dateRange.label}
        value={preset}
        options={presets.map((p) => ({ value: p.id, name: p.name }))}
        onChange={(id) => {
          const days = lastDays(Number(id), zone);
          onChange(days.start, days.end);
        }}
      />
      <Popover
        label={common.dateRange.choose(dateRange(shown.start, shown.end))}
        button={
          <>
            <Icon name="calendar" />
            {dateRange(shown.start, shown.end)}
          </>
        }
      >
        {(close) => <CustomRange {...shown} zone={zone} first={first} onChange={onChange} close={close} />}
      </Popover>
    </div>
  );
}

function CustomRange({ start, end, zone, first, onChange, close }: { start: string; end: string; zone: string; first?: string; onChange: (start: string, end: string) => void; close: () => void }) {
  const [from, setFrom] = useState(start);
  const [to, setTo] = useState(addDays(end, -1));
  const wrong = !from || !to || from > to;
  return (
    <form
      class="stack tight"
      style={{ padding: "0.5rem" }}
      onSubmit={(e) => {
        e.preventDefault();
        if (wrong) return;
        onChange(from, addDays(to, 1));
        close();
      }}
    >
      <TextField label={common.dateRange.from} type="date" value={from} onInput={setFrom} />
      <TextField label={common.dateRange.to} type="date" value={to} onInput={setTo} error={wrong ? common.dateRange.endBeforeStart : undefined} hint={common.dateRange.timezone(zone)} />
      <div class="row">
        <button type="submit" class="button primary" disabled={wrong}>
          {common.actions.apply}
        </button>
        {first && (
          <button
            type="button"
            class="button"
            onClick={() => {
              onChange(first, addDays(today(zone), 1));
              close();
            }}
          >
            {common.dateRange.all}
          </button>
        )}
      </div>
    </form>
  );
}
