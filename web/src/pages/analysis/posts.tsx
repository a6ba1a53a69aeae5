import { formatFilter, parseFilter, refine } from "../../lib/filter";
import { dateTime } from "../../lib/format";
import { useQuery } from "../../lib/router";
import type { FilteredView } from "../../lib/view";
import { EmptyState, ErrorNotice, SelectField, Skeleton } from "../../components/basics";
import { AddFilter } from "../../components/addfilter";
import { FilterChips, type Filtered } from "../../components/filterchips";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { analysis as text } from "../../strings/analysis";
import { common } from "../../strings/common";
import { chipNames, filterOptions } from "./filter";
import { ResultLayout, type LoadedResult } from "./layout";
import { loadPost, usePosts } from "./load";
import { spansOf, useVolume, Volume, type TimeSpan } from "./volume";

// ResultPostsPage lists the posts of an analysis. The URL has the filter, the time and the order.
export function ResultPostsPage({ id }: { id: string }) {
  return <ResultLayout id={id}>{(loaded) => <PostList loaded={loaded} />}</ResultLayout>;
}

function PostList({ loaded }: { loaded: LoadedResult }) {
  const { id, analysis } = loaded;
  const [query, change] = useQuery();
  const filter = parseFilter(query.get("filter") ?? "");
  const filterText = formatFilter(filter);
  const sort = text.orders.some((o) => o.value === query.get("sort")) ? query.get("sort")! : "newest";
  const span = { from: query.get("from") ?? "", to: query.get("to") ?? "" };
  const narrowed = Boolean(filterText || span.from || span.to);
  const zone = analysis.request.timezone;
  const posts = usePosts(id, { filter: filterText, ...span, sort });
  const volume = useVolume(id, filterText);
  const setFilter = (f: typeof filter) => change({ filter: formatFilter(f) });
  const filtered: Filtered = { type: "BUZZ", team: analysis.monitor.team ?? 0, categories: analysis.categories, emotions: analysis.emotions };
  const view: FilteredView = { filter, setFilter, params: { range: "", start: "", end: "", filter: "" }, sub: "" };
  const setSpan = ({ from, to }: TimeSpan) => change({ from, to });
  const clear = () => change({ filter: null, from: null, to: null });
  const clearButton = (
    <button type="button" class="button" onClick={clear}>
      {common.actions.clearFilters}
    </button>
  );
  return (
    <div class="stack">
      <div class="posts-tools">
        <FilterChips m={filtered} view={view} names={chipNames(analysis)} />
        <div class="row">
          <AddFilter m={filtered} view={view} options={filterOptions(loaded)} />
          <TimeSelect span={span} spans={volume.data ? spansOf(volume.data, analysis.end) : []} zone={zone} onChange={setSpan} />
          <SelectField label={text.sortBy} value={sort} options={text.orders} onChange={(s) => change({ sort: s })} />
        </div>
      </div>
      <Volume volume={volume} end={analysis.end} file={`analysis-${id}`} onPick={setSpan} />
      {posts.error && <ErrorNotice error={posts.error} retry={posts.reload} undo={narrowed ? { name: common.actions.clearFilters, act: clear } : undefined} />}
      {posts.total === undefined && !posts.error && <Skeleton height="24rem" />}
      {posts.total === 0 && (
        <EmptyState title={common.noPosts} actions={narrowed && clearButton}>
          {narrowed ? text.noneMatch : text.noPostsText}
        </EmptyState>
      )}
      {!!posts.total && (
        <>
          <h2 class="sr">{common.pages.posts}</h2>
          <p class="muted" role="status">
            <strong class="num">{text.total(posts.total)}</strong> · {text.timesIn(zone)}
          </p>
          <RestrictedNote posts={posts.items} />
          <ul class="posts" aria-label={common.pages.posts} aria-busy={posts.loading}>
            {posts.items.map((post) => (
              <li key={post.key}>
                <PostCard post={post} zone={zone} onPick={(field, value) => setFilter(refine(filter, field, value))} loadFull={(p) => loadPost(id, p.key!)} />
              </li>
            ))}
          </ul>
          {posts.hasMore && (
            <div class="row">
              <button type="button" class="button" disabled={posts.loading} onClick={posts.more}>
                {posts.loading ? common.loading : text.loadMore}
              </button>
              <span class="muted small num">{text.shown(posts.items.length, posts.total)}</span>
            </div>
          )}
        </>
      )}
    </div>
  );
}

// TimeSelect selects a step of the chart, for users who cannot click on it. It also shows a span of
// several steps.
function TimeSelect({ span, spans, zone, onChange }: { span: TimeSpan; spans: (TimeSpan & { title: string })[]; zone: string; onChange: (span: TimeSpan) => void }) {
  const value = (s: TimeSpan) => (s.from && s.to ? `${s.from}/${s.to}` : "");
  const options = [{ value: "", name: text.anyTime }, ...spans.map((s) => ({ value: value(s), name: s.title }))];
  if (!options.some((o) => o.value === value(span))) options.splice(1, 0, { value: value(span), name: text.spanName(dateTime(span.from, zone), dateTime(span.to, zone)) });
  return (
    <SelectField
      label={text.time}
      value={value(span)}
      options={options}
      onChange={(v) => {
        const [from = "", to = ""] = v.split("/");
        onChange({ from, to });
      }}
    />
  );
}
