import type { PostsHref } from "../../lib/drill";
import type { FilterField } from "../../lib/filter";
import type { Incident, Overview } from "../../lib/types";

// A RefineHandler restricts the posts on the page to those with the given values.
export type RefineHandler = (...pairs: [field: FilterField, value: string][]) => void;

// Incidents are what charts over time mark. href returns the page that explains one.
export interface Incidents {
  list: Incident[];
  href: (i: Incident) => string;
}

// ChartProps are the properties of every chart on the overview.
export interface ChartProps {
  o: Overview;
  file: string; // prefix of the names of CSV files
  onRefine?: RefineHandler; // without it, clicks do nothing
  posts?: PostsHref; // of the posts that numbers count; without it, numbers are not links
  incidents?: Incidents;
}
