import { useState } from "preact/hooks";
import { withKeywords } from "../../lib/filter";
import type { View } from "../../lib/view";
import { Icon } from "../../components/icon";
import { posts as text } from "../../strings/posts";

// Search adds a query to the filter.
export function Search({ view }: { view: View }) {
  const [query, setQuery] = useState("");
  const submit = (e: Event) => {
    e.preventDefault();
    if (!query.trim()) return;
    view.setFilter(withKeywords(view.filter, query.trim()));
    setQuery("");
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <input type="search" aria-label={text.search} placeholder={text.search} value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
      <button type="submit" class="button" aria-label={text.searchButton} disabled={!query.trim()}>
        <Icon name="analysis" />
      </button>
    </form>
  );
}
