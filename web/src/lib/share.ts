import type { ViewParams } from "./view";

// A ShareTarget is what a share link shows: a dashboard, or the overview of a monitor.
export interface ShareTarget {
  name: string;
  dashboard?: number;
  monitor?: number; // or one of its saved filters
  params?: ViewParams; // dates and filter of the monitor
}
