import { type ComponentChildren } from "preact";
import { compact, number } from "../lib/format";
import { common } from "../strings/common";

// Figure is one metric of a list with the class figures. null is an unknown number.
export function Figure({ name, value, extra }: { name: string; value: number | null; extra?: ComponentChildren }) {
  return (
    <div class="card">
      <dt class="muted">{name}</dt>
      <dd>
        <div class="figure" title={value === null ? undefined : number(value)} data-value={value}>
          {value === null ? common.unknown : compact(value)}
        </div>
        {extra}
      </dd>
    </div>
  );
}
