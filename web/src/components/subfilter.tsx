import type { Monitor } from "../lib/types";
import type { View } from "../lib/view";
import { common } from "../strings/common";

// SubfilterSelect selects one of a monitor's saved filters, or all of its posts.
export function SubfilterSelect({ m, view }: { m: Monitor; view: View }) {
  if (m.filters.length === 0) return null;
  return (
    <select aria-label={common.filter.savedFilter} style={{ width: "auto" }} value={view.sub} onChange={(e) => view.setSub(e.currentTarget.value)}>
      <option value="">{common.filter.allPosts}</option>
      {m.filters.map((f) => (
        <option key={f.id} value={String(f.id)}>
          {f.name}
        </option>
      ))}
    </select>
  );
}
