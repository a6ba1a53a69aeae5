import { safeHref } from "../lib/href";
import type { ShownPost } from "../lib/post";
import { Thumbnail } from "./thumbnail";
import { pictures as text } from "../strings/pictures";

// PostPictures shows thumbnails of the pictures of a post that the server has fetched. They link to
// the originals.
export function PostPictures({ post }: { post: ShownPost }) {
  if (!post.pictures?.length) return null;
  return (
    <ul class="row post-pictures">
      {post.pictures.map((p) => {
        const image = post.imageInfo[p.image];
        const alt = text.alt((image?.objects ?? []).map((o) => o.className));
        const href = image && safeHref(image.url);
        return (
          <li key={p.image}>
            {href ? (
              <a href={href} target="_blank" rel="noreferrer noopener" aria-label={text.original(alt)} title={text.original(alt)}>
                <Thumbnail hash={p.hash} alt={alt} />
              </a>
            ) : (
              <Thumbnail hash={p.hash} alt={alt} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
