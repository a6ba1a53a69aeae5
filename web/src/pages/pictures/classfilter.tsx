import { get, urlOf } from "../../lib/api";
import { refine, withoutValue } from "../../lib/filter";
import { useLoad } from "../../lib/load";
import type { Overview } from "../../lib/types";
import type { View } from "../../lib/view";
import { pictures as text } from "../../strings/pictures";

const maxClasses = 15;

// ClassFilter has a button for each of the most frequent things that the images of posts show. It
// narrows the filter to posts with it, or widens it again. Its height is fixed: many buttons scroll.
export function ClassFilter({ id, view }: { id: string; view: View }) {
  const path = `/manage/v1/monitors/${id}/overview`;
  const query = { ...view.params, parts: "images" };
  const { data } = useLoad(`classes ${urlOf(path, query)}`, (signal) => get<Overview>(path, query, signal));
  const chosen = view.filter.image ?? [];
  const classes = data?.images.classes ?? [];
  const shown = [...classes.filter((c) => chosen.includes(c.id)), ...classes.filter((c) => !chosen.includes(c.id))].slice(0, maxClasses);
  return (
    <div class="class-filter" role="group" aria-label={text.classes}>
      {shown.map((c) => {
        const on = chosen.includes(c.id);
        return (
          <button key={c.id} type="button" class={`badge ${on ? "accent" : ""}`} aria-pressed={on} title={on ? text.classOff(c.name) : text.classTitle(c.name, c.posts)} onClick={() => view.setFilter(on ? withoutValue(view.filter, "image", c.id) : refine(view.filter, "image", c.id))}>
            {text.classButton(c.name, c.posts)}
          </button>
        );
      })}
    </div>
  );
}
