import { addDays, today } from "../lib/format";
import { SelectField, TextField } from "./basics";
import { share } from "../strings/share";

// An Expiry is when a link stops working: after some days, on a date, or never. "keep" does not change
// it.
export interface Expiry {
  kind: keyof typeof share.expiry | "keep";
  date: string; // the last day on which it works
}

const dayLength = 86_400_000; // milliseconds

// expiryTime returns the time at which a link stops working, or "" for never.
export function expiryTime({ kind, date }: Expiry): string {
  if (kind === "never" || kind === "keep") return "";
  if (kind === "date") return new Date(new Date(`${date}T00:00:00`).getTime() + dayLength).toISOString();
  return new Date(Date.now() + Number(kind) * dayLength).toISOString();
}

// ExpiryField chooses when a link expires. keep names the current choice, which is then an option, too.
export function ExpiryField({ value, onChange, keep }: { value: Expiry; onChange: (value: Expiry) => void; keep?: string }) {
  const options = Object.entries(share.expiry).map(([value, name]) => ({ value, name }));
  return (
    <div class="stack tight">
      <SelectField label={share.expires} value={value.kind} onChange={(kind) => onChange({ ...value, kind: kind as Expiry["kind"] })} options={keep ? [{ value: "keep", name: share.keep(keep) }, ...options] : options} />
      {value.kind === "date" && <TextField label={share.lastDay} type="date" value={value.date} min={today()} max={addDays(today(), 3650)} onInput={(date) => onChange({ ...value, date })} required />}
    </div>
  );
}
