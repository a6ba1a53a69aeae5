import type { ShownPost } from "../lib/post";
import { common } from "../strings/common";

// A MaybeRestricted is a post whose text the server may withhold.
type MaybeRestricted = Pick<ShownPost, "contents"> & { type?: string };

// RestrictedNote says, once for all posts of a page, from which sources posts are shown without
// their text, and why.
export function RestrictedNote({ posts }: { posts: MaybeRestricted[] }) {
  const sources = [...new Set(posts.filter((p) => p.contents === undefined).map((p) => p.type || common.restricted.unknownSource))].sort();
  if (sources.length === 0) return null;
  return (
    <p class="small muted restricted" role="note">
      {common.restricted.note(sources)} <code>{common.restricted.setting}</code>
      {common.restricted.where}
    </p>
  );
}
