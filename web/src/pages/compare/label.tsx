import { seriesColor } from "../../lib/color";
import { useDark } from "../../lib/theme";
import type { ComparedRow } from "../../lib/types";

// ChartProps are the properties of all charts that compare rows.
export interface ChartProps {
  rows: ComparedRow[];
  file: string; // beginning of the names of CSV files
}

// RowLabel names a row, with its color.
export function RowLabel({ label, position }: { label: string; position: number }) {
  const dark = useDark();
  return (
    <span class="compare-label">
      <i class="dot" style={{ background: seriesColor(position, dark) }} /> {label}
    </span>
  );
}
