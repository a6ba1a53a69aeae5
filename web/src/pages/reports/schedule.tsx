import { useEffect, useState } from "preact/hooks";
import { post } from "../../lib/api";
import { choices } from "../../lib/choices";
import { dateTime } from "../../lib/format";
import { useDebounced, useLoad } from "../../lib/load";
import { formatCron, lastDay, parseCron, weekdayName, weekdays, type Schedule } from "../../lib/schedule";
import type { Timetable } from "../../lib/types";
import { SegmentedControl, SelectField, TextField } from "../../components/basics";
import { Picker } from "../../components/picker";
import { reports as text } from "../../strings/reports";

const kinds: Schedule["every"][] = ["day", "week", "month", "custom"];
const dates = [...Array.from({ length: 28 }, (_, i) => i + 1), lastDay];

interface Props {
  cron: string;
  zone: string;
  onChange: (changes: { cron?: string; zone?: string }) => void;
}

// ScheduleFields choose when a report is sent: by simple choices, or with a cron expression.
export function ScheduleFields({ cron, zone, onChange }: Props) {
  const [schedule, setSchedule] = useState(() => parseCron(cron));
  const [zones, setZones] = useState<string[]>([]);
  useEffect(() => {
    choices().then((c) => setZones(c.timezones), () => {});
  }, []);
  const set = (changes: Partial<Schedule>) => {
    const next = { ...schedule, ...changes };
    if (changes.every === "custom") next.cron = formatCron(schedule); // to start from
    setSchedule(next);
    onChange({ cron: formatCron(next) });
  };
  const toggle = (day: number) => {
    const on = schedule.weekdays.includes(day);
    if (on && schedule.weekdays.length === 1) return; // one day is the minimum
    set({ weekdays: on ? schedule.weekdays.filter((d) => d !== day) : [...schedule.weekdays, day] });
  };
  const { every } = schedule;
  return (
    <fieldset class="stack tight">
      <legend class="label">{text.when}</legend>
      <div>
        <SegmentedControl label={text.when} value={every} onChange={(every) => set({ every })} options={kinds.map((value) => ({ value, name: text.every[value] }))} />
      </div>
      {every === "week" && (
        <div>
          <div class="seg days" role="group" aria-label={text.weekdays}>
            {weekdays.map((day) => (
              <button key={day} type="button" aria-pressed={schedule.weekdays.includes(day)} title={weekdayName(day)} onClick={() => toggle(day)}>
                {weekdayName(day).slice(0, 3)}
              </button>
            ))}
          </div>
        </div>
      )}
      <div class="field-pair">
        {every === "month" && <SelectField label={text.date} value={String(schedule.date)} onChange={(date) => set({ date: Number(date) })} options={dates.map((d) => ({ value: String(d), name: d === lastDay ? text.lastDate : text.dateName(d) }))} />}
        {every !== "custom" && <TextField label={text.time} type="time" value={schedule.time} onInput={(time) => time && set({ time })} required />}
        {every === "custom" && <TextField label={text.cron} value={schedule.cron} onInput={(cron) => set({ cron })} hint={text.cronHint} required />}
        <Picker label={text.zone} single values={zone ? [{ id: zone, name: zone }] : []} options={zones.map((z) => ({ id: z, name: z }))} onChange={(v) => onChange({ zone: v[0]?.id ?? "" })} />
      </div>
      <NextTimes cron={cron} zone={zone} />
    </fieldset>
  );
}

// NextTimes shows what a schedule means, or what is wrong with it.
function NextTimes({ cron, zone }: { cron: string; zone: string }) {
  const asked = useDebounced(JSON.stringify({ cron, timezone: zone }), 250);
  const { data, error } = useLoad(zone ? asked : null, () => post<Timetable>("/manage/v1/reports/schedule", JSON.parse(asked)));
  return (
    <p class={`small next-times ${error ? "bad" : "muted"}`} role="status">
      {error ? error.message : data && text.nextTimes(data.schedule, data.next.map((time) => dateTime(time, zone)))}
    </p>
  );
}
