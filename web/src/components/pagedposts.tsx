import { type ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Pages } from "../lib/pages";
import { useSelectionKeys, type Selection } from "../lib/selection";
import { common } from "../strings/common";
import { posts as text } from "../strings/posts";

interface Props<T> {
  pages: Pages<T, unknown>;
  total: number; // items of all pages
  label: string;
  keyOf: (item: T) => string;
  selection?: Selection; // of posts; without it, they cannot be selected
  nameOf?: (item: T) => string; // for the checkboxes
  children: (item: T) => ComponentChildren;
}

// PagedPosts lists the loaded posts, with a button to load more. Coming back with the back button
// shows the post that the user left from.
export function PagedPosts<T>({ pages, total, label, keyOf, selection, nameOf, children }: Props<T>) {
  const list = useSelectionKeys(selection);
  useEffect(() => {
    const left = [...(list.current?.children ?? [])].find((li) => (li as HTMLElement).dataset.key === pages.place);
    let frames = 4; // in which the cards around it get their real heights
    const show = () => {
      left?.scrollIntoView({ block: "center" });
      if (left && frames-- > 0) requestAnimationFrame(show);
    };
    show();
  }, [pages.place]);
  const remember = (e: Event) => pages.leaveAt((e.target as Element).closest<HTMLElement>("[data-key]")?.dataset.key ?? "");
  return (
    <>
      <ul class={`posts ${selection ? "selectable" : ""} ${selection?.keys.length ? "selecting" : ""}`} ref={list} aria-label={label} aria-busy={pages.loading} onClickCapture={remember}>
        {pages.items.map((item) => (
          <li key={keyOf(item)} data-key={keyOf(item)}>
            {selection && (
              <input
                type="checkbox"
                class="select"
                aria-label={text.select.one(nameOf?.(item) ?? "")}
                checked={selection.has(keyOf(item))}
                onMouseDown={(e) => e.shiftKey && e.preventDefault() /* would select text */}
                onClick={(e) => selection.toggle(keyOf(item), e.shiftKey)}
              />
            )}
            {children(item)}
          </li>
        ))}
      </ul>
      {pages.hasMore && (
        <div class="row">
          <button type="button" class="button" disabled={pages.loading} onClick={pages.more}>
            {pages.loading ? common.loading : common.list.loadMore}
          </button>
          <span class="muted small num">{common.list.shown(pages.items.length, total)}</span>
        </div>
      )}
    </>
  );
}
