// Pictures of posts that the server has fetched. Pages load thumbnails of them from the server, never
// the originals.
import { get } from "./api";
import { usePages, type CursorPage, type Pages } from "./pages";
import type { HighlightedPost, PictureGroup, PicturesResponse, PostsResponse } from "./types";
import type { View } from "./view";
import { pictures as text } from "../strings/pictures";

// thumbnailPath returns the path of the thumbnail of a picture. The server may have removed it.
export const thumbnailPath = (hash: string) => `/manage/v1/pictures/${hash}`;

// A PictureOrder is an order of pictures, as in the parameter sort of the API.
export type PictureOrder = keyof typeof text.orders;

// A PicturePage is a page of pictures, with a cursor instead of an offset.
export type PicturePage = PicturesResponse & CursorPage<PictureGroup>;

const pageSize = 60;
const postsPageSize = 50;

const pathOf = (id: string) => `/manage/v1/monitors/${id}/pictures`;

// usePictures loads the pictures of a monitor's posts, each group of copies once. A new version
// reloads them.
export function usePictures(id: string, view: View, sort: PictureOrder, version: number): Pages<PictureGroup, PicturePage> {
  const query = { ...view.params, sort };
  const load = async (cursor: string | undefined, signal: AbortSignal): Promise<PicturePage> => {
    const page = await get<PicturesResponse>(pathOf(id), { ...query, limit: pageSize, offset: cursor }, signal);
    return { ...page, cursor: page.next ? String(page.next) : undefined };
  };
  const pages = usePages<PictureGroup, PicturePage>(JSON.stringify(["pictures", id, query]), load, version);
  return { ...pages, items: withoutRepeats(pages.items) };
}

// withoutRepeats drops pictures that are also on an earlier page, because new posts moved them.
function withoutRepeats(groups: PictureGroup[]): PictureGroup[] {
  const seen = new Set<string>();
  return groups.filter((g) => !seen.has(g.picture.hash) && seen.add(g.picture.hash));
}

// usePicturePosts loads the posts with a picture or a copy of it.
export function usePicturePosts(id: string, view: View, hash: string, version: number): Pages<HighlightedPost, PostsResponse> {
  return usePages(JSON.stringify(["picture", id, view.params, hash]), (cursor, signal) => get<PostsResponse>(`${pathOf(id)}/${hash}/posts`, { ...view.params, limit: postsPageSize, cursor }, signal), version);
}
