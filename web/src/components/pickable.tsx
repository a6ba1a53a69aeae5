import { type ComponentChildren } from "preact";
import type { FilterField } from "../lib/filter";
import { common } from "../strings/common";

export type PickHandler = (field: FilterField, value: string) => void;

interface Props {
  onPick?: PickHandler;
  field: FilterField;
  value: string;
  children: ComponentChildren;
  class?: string;
  title?: string;
}

// Pickable shows an attribute of a post. If onPick is set, it is a button that filters by this
// attribute.
export function Pickable({ onPick, field, value, children, class: more = "", title }: Props) {
  if (!onPick)
    return (
      <span class={more} title={title}>
        {children}
      </span>
    );
  return (
    <button type="button" class={`pickable ${more}`} title={title ? common.filter.pickFact(title) : common.filter.pick} onClick={() => onPick(field, value)}>
      {children}
    </button>
  );
}
