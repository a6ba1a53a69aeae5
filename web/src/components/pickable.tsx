import { type ComponentChildren } from "preact";
import type { FilterField } from "../lib/filter";

export type PickHandler = (field: FilterField, value: string) => void;

interface Props {
  onPick?: PickHandler;
  field: FilterField;
  value: string;
  children: ComponentChildren;
  class?: string;
  title?: string;
}

// Pickable is a fact about a post, and where posts can be refined a button that does so.
export function Pickable({ onPick, field, value, children, class: more = "", title }: Props) {
  if (!onPick)
    return (
      <span class={more} title={title}>
        {children}
      </span>
    );
  return (
    <button type="button" class={`pickable ${more}`} title={title ? `${title}. Click to show only such posts` : "Show only such posts"} onClick={() => onPick(field, value)}>
      {children}
    </button>
  );
}
