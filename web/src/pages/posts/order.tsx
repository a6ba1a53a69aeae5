import { useState } from "preact/hooks";
import { chooseDensity, chosenDensity } from "../../lib/density";
import { Checkbox, SelectField } from "../../components/basics";
import { posts as text } from "../../strings/posts";
import type { PostOrder } from "./load";

const options = Object.entries(text.orders).map(([value, name]) => ({ value, name }));

// OrderSelect selects the order of a list of posts. without is an order that the list does not have.
export function OrderSelect({ order, onChange, without }: { order: PostOrder; onChange: (order: PostOrder) => void; without?: PostOrder }) {
  return <SelectField label={text.sortBy} value={order} options={options.filter((o) => o.value !== without)} onChange={(o) => onChange(o as PostOrder)} />;
}

// DensitySwitch shows posts closer together, so that more of them fit on the screen.
export function DensitySwitch() {
  const [compact, setCompact] = useState(chosenDensity() === "compact");
  return (
    <Checkbox
      label={text.compact}
      checked={compact}
      onChange={(on) => {
        chooseDensity(on ? "compact" : "comfortable");
        setCompact(on);
      }}
    />
  );
}

// GroupSwitch turns the grouping of similar posts on and off.
export function GroupSwitch({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return <Checkbox label={text.group} checked={on} onChange={onChange} />;
}
