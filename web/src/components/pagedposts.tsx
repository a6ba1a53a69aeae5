import { type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Pages } from "../lib/pages";
import { common } from "../strings/common";

interface Props<T> {
  pages: Pages<T, unknown>;
  total: number; // items of all pages
  label: string;
  keyOf: (item: T) => string;
  children: (item: T) => ComponentChildren;
}

// PagedPosts lists the loaded posts, with a button to load more. Coming back with the back button
// shows the post that the user left from.
export function PagedPosts<T>({ pages, total, label, keyOf, children }: Props<T>) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const left = [...(list.current?.children ?? [])].find((li) => (li as HTMLElement).dataset.key === pages.place);
    left?.scrollIntoView({ block: "center" });
  }, [pages.place]);
  const remember = (e: Event) => pages.leaveAt((e.target as Element).closest<HTMLElement>("[data-key]")?.dataset.key ?? "");
  return (
    <>
      <ul class="posts" ref={list} aria-label={label} aria-busy={pages.loading} onClickCapture={remember}>
        {pages.items.map((item) => (
          <li key={keyOf(item)} data-key={keyOf(item)}>
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
