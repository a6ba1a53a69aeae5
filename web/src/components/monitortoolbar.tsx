import { type ComponentChildren } from "preact";
import type { Monitor } from "../lib/types";
import type { View } from "../lib/view";
import { DateRange } from "./daterange";
import { FilterBar } from "./filterbar";
import { SubfilterSelect } from "./subfilter";

interface Props {
  m: Monitor;
  view: View;
  shown?: { start: string; end: string }; // the days that the page shows, once they are known
  first?: string; // first day with data
  names?: Record<string, string>; // names of interests, images and logos by "field:id", for the chips
  children?: ComponentChildren; // tools of the page
}

// MonitorToolbar has the date range, the saved filters and the filter of a page about a monitor.
export function MonitorToolbar({ m, view, shown, first, names, children }: Props) {
  return (
    <div class="toolbar">
      <div class="spread" style={{ marginBottom: "0.6rem" }}>
        <div class="row">
          <DateRange view={view} shown={shown} zone={m.timezone} first={first} />
          <SubfilterSelect m={m} view={view} />
        </div>
        {children}
      </div>
      <FilterBar filter={view.filter} categories={[...m.categories, ...m.emotions]} names={names} team={m.team} onChange={view.setFilter} />
    </div>
  );
}
