import { useState } from "preact/hooks";
import { withKeywords } from "../../lib/filter";
import type { View } from "../../lib/view";
import { Icon } from "../../components/icon";

// Search refines to posts that match a query; Enter adds it to the filter.
export function Search({ view }: { view: View }) {
  const [text, setText] = useState("");
  const submit = (e: Event) => {
    e.preventDefault();
    if (!text.trim()) return;
    view.setFilter(withKeywords(view.filter, text.trim()));
    setText("");
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <input type="search" aria-label="Search in these posts" placeholder="Search in these posts" value={text} onInput={(e) => setText(e.currentTarget.value)} />
      <button type="submit" class="button" aria-label="Search" disabled={!text.trim()}>
        <Icon name="analysis" />
      </button>
    </form>
  );
}
