import type { FilterField } from "../../lib/filter";
import type { Overview } from "../../lib/types";

// A RefineHandler restricts the posts on the page to those with the given values.
export type RefineHandler = (...pairs: [field: FilterField, value: string][]) => void;

// ChartProps are the properties of every chart on the overview.
export interface ChartProps {
  o: Overview;
  file: string; // prefix of the names of CSV files
  onRefine?: RefineHandler; // without it, clicks do nothing
}
