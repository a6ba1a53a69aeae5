import { useState } from "preact/hooks";
import { addDays, dateRange, monthDay, day, today } from "../lib/format";
import { rollingDays, type RollingRange, type View } from "../lib/view";
import { TextField } from "./basics";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { common } from "../strings/common";

const text = common.dateRange;

interface Props {
  view: View;
  zone: string;
  shown?: { start: string; end: string }; // the days on the page, if the dates follow from the data
  first?: string; // first day with data; enables "All time"
}

const presets = Object.entries(text.rolling) as [RollingRange, string][];

// DateRange selects a date range: a rolling one such as the last 7 days, or a start and an end date.
// A view without dates shows the last 30 days.
export function DateRange({ view, zone, shown, first }: Props) {
  const rolling = view.range || (view.start ? "" : "last30");
  const days = rolling ? (view.range || !shown?.start ? rollingDays(rolling, zone) : shown) : view;
  const cut = first && days.start < first && first < days.end;
  const since = cut ? text.dataSince(first.slice(0, 4) === today(zone).slice(0, 4) ? monthDay(first) : day(first)) : "";
  const dates = dateRange(days.start, days.end);
  const name = rolling && text.rolling[rolling];
  const parts = name ? [name, since || dates] : [dates, since].filter(Boolean);
  return (
    <Popover
      class="button dates"
      label={text.choose(parts.join(" · "))}
      title={dates}
      button={
        <>
          <Icon name="calendar" />
          <span>
            {parts[0]}
            {parts[1] && <span class="when"> · {parts[1]}</span>}
          </span>
        </>
      }
    >
      {(close) => (
        <div class="daterange">
          <ul class="options" aria-label={text.presets}>
            {presets.map(([range, name]) => (
              <li key={range}>
                <button
                  type="button"
                  aria-pressed={range === rolling}
                  onClick={() => {
                    view.setRolling(range);
                    close();
                  }}
                >
                  {name}
                </button>
              </li>
            ))}
            {first && (
              <li>
                <button
                  type="button"
                  aria-pressed={view.start === first && view.end === addDays(today(zone), 1)}
                  onClick={() => {
                    view.setRange(first, addDays(today(zone), 1));
                    close();
                  }}
                >
                  {text.all}
                </button>
              </li>
            )}
          </ul>
          <CustomRange start={days.start} end={days.end} zone={zone} onChange={view.setRange} close={close} />
        </div>
      )}
    </Popover>
  );
}

function CustomRange({ start, end, zone, onChange, close }: { start: string; end: string; zone: string; onChange: (start: string, end: string) => void; close: () => void }) {
  const [from, setFrom] = useState(start);
  const [to, setTo] = useState(addDays(end, -1));
  const wrong = !from || !to || from > to;
  return (
    <form
      class="stack tight"
      aria-label={text.custom}
      onSubmit={(e) => {
        e.preventDefault();
        if (wrong) return;
        onChange(from, addDays(to, 1));
        close();
      }}
    >
      <TextField label={text.from} type="date" value={from} onInput={setFrom} />
      <TextField label={text.to} type="date" value={to} onInput={setTo} error={wrong ? text.endBeforeStart : undefined} hint={text.timezone(zone)} />
      <button type="submit" class="button primary" disabled={wrong}>
        {common.actions.apply}
      </button>
    </form>
  );
}
