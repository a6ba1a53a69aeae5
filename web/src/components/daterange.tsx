import { useState } from "preact/hooks";
import { addDays, dateRange, today } from "../lib/format";
import { lastDays, type RollingRange, type View } from "../lib/view";
import { SegmentedControl, TextField } from "./basics";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { common } from "../strings/common";

interface Props {
  view: View;
  shown?: { start: string; end: string }; // the days of a rolling range, once they are known
  zone: string;
  first?: string; // first day with data; enables "All time"
}

const buttons = Object.entries(common.dateRange.short) as [RollingRange, string][];

// DateRange selects a date range: a rolling one such as the last 7 days, or a start and an end date.
// A view without dates shows the last 30 days.
export function DateRange({ view, shown, zone, first }: Props) {
  const days = view.start ? view : shown?.start ? shown : lastDays(30, zone);
  const rolling = view.range || (view.start ? "" : "last30");
  return (
    <div class="row">
      <SegmentedControl label={common.dateRange.label} value={rolling as string} options={buttons.map(([value, name]) => ({ value: value as string, name }))} onChange={(id) => view.setRolling(id as RollingRange)} />
      <Popover
        class="button dates"
        label={common.dateRange.choose(dateRange(days.start, days.end))}
        button={
          <>
            <Icon name="calendar" />
            {dateRange(days.start, days.end)}
          </>
        }
      >
        {(close) => <CustomRange start={days.start} end={days.end} zone={zone} first={first} onChange={view.setRange} close={close} />}
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
