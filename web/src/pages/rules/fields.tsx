import { listAll } from "../../lib/api";
import { useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import { severities } from "../../lib/signals";
import type { Channel, Hours } from "../../lib/types";
import { Card, Checkbox, Field, SegmentedControl, SelectField, TextField } from "../../components/basics";
import { Icon } from "../../components/icon";
import { allDays, type Draft } from "./draft";
import { common } from "../../strings/common";
import { weekdayNames } from "../../strings/format";
import { rules, signals } from "../../strings/signals";

const text = rules.editor;

type Props = { draft: Draft; change: (changes: Partial<Draft>) => void };

// ChannelFields choose how urgent signals are, and who hears about them.
export function ChannelFields({ draft, change, team }: Props & { team?: number }) {
  const { data } = useLoad(team ? `channels of ${team}` : null, () => listAll<Channel>("/manage/v1/channels", { team }));
  const toggle = (id: number, on: boolean) => change({ channels: on ? [...draft.channels, id] : draft.channels.filter((c) => c !== id) });
  return (
    <Card title={text.notify}>
      <div class="stack">
        {data?.length === 0 && (
          <p class="muted">
            {text.noChannels} <Link href="/signals/channels">{text.addChannel}</Link>
          </p>
        )}
        {data && data.length > 0 && (
          <div class="rule-fields" role="group" aria-label={text.notify}>
            {data.map((c) => (
              <Checkbox key={c.id} label={c.name} checked={draft.channels.includes(c.id)} onChange={(on) => toggle(c.id, on)} />
            ))}
          </div>
        )}
        <Field label={text.severity} hint={text.severityHint}>
          {() => <SegmentedControl label={text.severity} value={draft.severity} onChange={(severity) => change({ severity })} options={[...severities].reverse().map((s) => ({ value: s, name: signals.severities[s] }))} />}
        </Field>
      </div>
    </Card>
  );
}

const workingHours: Hours = { days: allDays.slice(0, 5), from: "08:00", to: "18:00" };
const night: Hours = { days: [], from: "22:00", to: "07:00" };

// ScheduleFields choose when a rule is evaluated, when notifications wait, and how long it is quiet
// after a signal.
export function ScheduleFields({ draft, change, zone }: Props & { zone: string }) {
  const waits = [...new Set([...Object.keys(text.coolDowns).map(Number), draft.coolDownMinutes])].sort((a, b) => a - b);
  return (
    <Card title={text.when} note={text.zoneNote(zone)}>
      <div class="stack">
        <HoursFields label={text.active} none={text.always} some={text.certain} hours={draft.active} first={workingHours} onChange={(active) => change({ active })} />
        <HoursFields label={text.quiet} none={text.noQuiet} some={text.someQuiet} hours={draft.quiet} first={night} onChange={(quiet) => change({ quiet })} />
        <div class="rule-fields">
          <SelectField label={text.coolDown} value={String(draft.coolDownMinutes)} onChange={(m) => change({ coolDownMinutes: Number(m) })} options={waits.map((m) => ({ value: String(m), name: text.coolDowns[m] ?? text.minutes(m) }))} />
        </div>
      </div>
    </Card>
  );
}

interface HoursProps {
  label: string;
  none: string;
  some: string;
  hours: Hours[];
  first: Hours; // what to begin with
  onChange: (hours: Hours[]) => void;
}

// HoursFields choose parts of the week, or none.
function HoursFields({ label, none, some, hours, first, onChange }: HoursProps) {
  const set = (i: number, changes: Partial<Hours>) => onChange(hours.map((h, j) => (i === j ? { ...h, ...changes } : h)));
  return (
    <fieldset class="stack tight">
      <legend class="label">{label}</legend>
      <div>
        <SegmentedControl
          label={label}
          value={hours.length === 0 ? "none" : "some"}
          onChange={(v) => onChange(v === "none" ? [] : [first])}
          options={[
            { value: "none", name: none },
            { value: "some", name: some },
          ]}
        />
      </div>
      {hours.map((h, i) => (
        <div key={i} class="rule-hours">
          <Weekdays days={h.days} onChange={(days) => set(i, { days })} />
          <TextField label={text.from} type="time" value={h.from} onInput={(from) => set(i, { from })} required />
          <TextField label={text.to} type="time" value={h.to === "24:00" ? "00:00" : h.to} onInput={(to) => set(i, { to })} required />
          {hours.length > 1 && (
            <button type="button" class="button quiet" aria-label={common.actions.remove} title={common.actions.remove} onClick={() => onChange(hours.filter((_, j) => j !== i))}>
              <Icon name="trash" />
            </button>
          )}
          {i === hours.length - 1 && hours.length < 14 && (
            <button type="button" class="button quiet" aria-label={common.actions.add} title={common.actions.add} onClick={() => onChange([...hours, first])}>
              <Icon name="plus" />
            </button>
          )}
        </div>
      ))}
    </fieldset>
  );
}

// Weekdays chooses days of the week. None means all.
function Weekdays({ days, onChange }: { days: string[]; onChange: (days: string[]) => void }) {
  const chosen = days.length === 0 ? allDays : days;
  const toggle = (day: string) => {
    const next = allDays.filter((d) => (d === day ? !chosen.includes(d) : chosen.includes(d)));
    if (next.length > 0) onChange(next.length === allDays.length ? [] : next);
  };
  return (
    <div class="weekdays" role="group" aria-label={text.daysOf}>
      {allDays.map((day, i) => (
        <button key={day} type="button" aria-pressed={chosen.includes(day)} title={weekdayNames[i]} onClick={() => toggle(day)}>
          {weekdayNames[i].slice(0, 3)}
        </button>
      ))}
    </div>
  );
}
