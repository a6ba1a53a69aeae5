import { useState } from "preact/hooks";
import { today } from "../../lib/format";
import type { DateRange } from "../../lib/types";
import { isDate } from "../../lib/view";
import { SegmentedControl, TextField } from "../../components/basics";
import { earlierStart, type Earlier } from "./rows";
import { compare } from "../../strings/compare";

// EarlierPeriod selects the period that each row is compared with. days are those of the first row,
// once they are known.
export function EarlierPeriod({ value, days, onChange }: { value: Earlier; days?: DateRange; onChange: (before: string | null) => void }) {
  const [custom, setCustom] = useState(false);
  const kind = custom || isDate(value) ? kindOf(value, days, custom) : value;
  const start = isDate(value) ? value : days ? earlierStart(value === "year" ? value : "previous", days) : "";
  return (
    <div class="row">
      <span class="muted">{compare.period.label}</span>
      <SegmentedControl
        label={compare.period.label}
        value={kind}
        options={[
          { value: "none", name: compare.period.none },
          { value: "previous", name: compare.period.previous },
          { value: "year", name: compare.period.year },
          { value: "custom", name: compare.period.custom },
        ]}
        onChange={(v) => {
          setCustom(v === "custom");
          onChange(v === "none" ? null : v === "custom" ? start || null : v);
        }}
      />
      {kind === "custom" && <TextField label={compare.period.from} type="date" value={start} max={today()} onInput={(v) => v && onChange(v)} />}
    </div>
  );
}

// kindOf returns the kind of a period that is given by its first day. Links of earlier versions have
// the first day of the previous period or year.
function kindOf(value: Earlier, days: DateRange | undefined, custom: boolean): string {
  if (custom || !days) return "custom";
  return ["previous", "year"].find((kind) => earlierStart(kind, days) === value) ?? "custom";
}
