import { type ComponentChildren } from "preact";
import { withoutValue } from "../lib/filter";
import type { Monitor } from "../lib/types";
import type { View } from "../lib/view";
import { AddFilter } from "./addfilter";
import { Checkbox } from "./basics";
import { DateRange } from "./daterange";
import { ExportMenu } from "./exportmenu";
import { FilterChips } from "./filterchips";
import { SubfilterSelect } from "./subfilter";
import { common } from "../strings/common";

interface Props {
  m: Monitor;
  view: View;
  shown?: { start: string; end: string }; // the days that the page shows, once they are known
  first?: string; // first day with data, if it is not the monitor's start
  names?: Record<string, string>; // names of interests, images and logos by "field:id", if the page has them
  ownExport?: boolean; // the page has an export of its own
  children?: ComponentChildren; // tools of the page
}

// MonitorToolbar has the date range, the saved filters and the filter of a page about a monitor. It
// stays in view, because it says what the numbers on the page count.
export function MonitorToolbar({ m, view, shown, first, names, ownExport, children }: Props) {
  const api = `/manage/v1/monitors/${view.sub || m.id}`;
  return (
    <div class="toolbar" id="filters" tabIndex={-1}>
      <div class="spread">
        <div class="row">
          <DateRange view={view} zone={m.timezone} shown={shown} first={first ?? m.start} />
          <AddFilter m={m} view={view} />
          <SubfilterSelect m={m} view={view} />
          {m.ownAccounts.length > 0 && <OwnSwitch m={m} view={view} />}
        </div>
        <div class="row">
          {children}
          {!ownExport && <ExportMenu report={`${api}/report`} posts={`${api}/export`} params={view.params} scheduled={{ team: m.team, monitor: Number(view.sub) || m.id }} />}
        </div>
      </div>
      <FilterChips m={m} view={view} names={names} ownSwitch={m.ownAccounts.length > 0} />
    </div>
  );
}

// OwnSwitch leaves out the posts of the brand's own accounts.
function OwnSwitch({ m, view }: { m: Monitor; view: View }) {
  const most = 10;
  const accounts = common.filter.ownAccounts(m.ownAccounts.slice(0, most), Math.max(0, m.ownAccounts.length - most));
  const on = view.filter.own?.[0] === "exclude";
  return (
    <span class="ownswitch" title={accounts}>
      <Checkbox label={common.filter.excludeOwn} checked={on} onChange={(exclude) => view.setFilter(exclude ? { ...view.filter, own: ["exclude"] } : withoutValue(view.filter, "own", "exclude"))} />
      <span class="sr">{accounts}</span>
    </span>
  );
}
