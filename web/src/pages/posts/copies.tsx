import { useId, useState } from "preact/hooks";
import type { HighlightedPost } from "../../lib/types";
import { ErrorNotice, Skeleton } from "../../components/basics";
import { Icon } from "../../components/icon";
import { PagedPosts } from "../../components/pagedposts";
import { PostCard } from "../../components/postcard";
import { posts as text } from "../../strings/posts";
import { useCopies, type PostList } from "./load";

interface Props {
  list: PostList;
  post: HighlightedPost; // the first of its group
  zone: string;
}

// Copies says how many posts are similar to a post, and lists them on a click.
export function Copies(props: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const others = (props.post.copies ?? 1) - 1;
  if (others === 0) return null;
  return (
    <div class="copies">
      <button type="button" class="button quiet small" aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
        <Icon name="copy" />
        {text.similar(others)}
        <span class={open ? "turn" : ""}>
          <Icon name="down" />
        </span>
      </button>
      {open && (
        <div id={id} class="stack tight">
          <CopyList {...props} others={others} />
        </div>
      )}
    </div>
  );
}

function CopyList({ list, post, zone, others }: Props & { others: number }) {
  const copies = useCopies(list, post.key);
  const isOther = (p: HighlightedPost) => p.key !== post.key;
  if (copies.error && !copies.first) return <ErrorNotice error={copies.error} retry={copies.reload} />;
  if (!copies.first) return <Skeleton height={`${Math.min(others, 10) * 8}rem`} label={text.loading} />;
  return (
    <>
      {copies.error && <ErrorNotice error={copies.error} retry={copies.reload} />}
      <PagedPosts pages={{ ...copies, items: copies.items.filter(isOther) }} total={others} label={text.similar(others)} keyOf={(p) => p.key}>
        {(p) => <PostCard post={p} zone={zone} marked={{ id: list.id }} days={{ ...list.view.params, timezone: zone }} />}
      </PagedPosts>
    </>
  );
}
