import { useState } from "preact/hooks";
import { addDays, dateRange, today } from "../lib/format";
import { lastDays, presetOf, presets } from "../lib/view";
import { SegmentedControl, TextField } from "./basics";
import { Icon } from "./icon";
import { Popover } from "./popover";

interface Props {
  start: string; // empty: no days are chosen
  end: string;
  counted?: { start: string; end: string }; // the days that are shown when none are chosen
  zone: string;
  first?: string; // the first day that there is anything of
  onChange: (start: string, end: string) => void;
}

// DateRange chooses days: the last 7, 30 …, or from one to another.
export function DateRange({ start, end, counted, zone, first, onChange }: Props) {
  const shown = start ? { start, end } : counted?.start ? { start: counted.start, end: counted.end } : lastDays(30, zone);
  const preset = presetOf(shown.start, shown.end, zone);
  return (
    <div class="row">
      <SegmentedControl
        label="Days"
        value={preset}
        options={presets.map((p) => ({ value: p.id, name: p.name }))}
        onChange={(id) => {
          const days = lastDays(Number(id), zone);
          onChange(days.start, days.end);
        }}
      />
      <Popover
        label={`Choose days: ${dateRange(shown.start, shown.end)}`}
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
      <TextField label="From" type="date" value={from} onInput={setFrom} />
      <TextField label="To" type="date" value={to} onInput={setTo} error={wrong ? "The last day is not before the first." : undefined} hint={`Days of ${zone}`} />
      <div class="row">
        <button type="submit" class="button primary" disabled={wrong}>
          Show
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
            Everything
          </button>
        )}
      </div>
    </form>
  );
}
