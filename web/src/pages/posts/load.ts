import { get } from "../../lib/api";
import { usePages, type Pages } from "../../lib/pages";
import { useQuery } from "../../lib/router";
import type { HighlightedPost, PostsResponse } from "../../lib/types";
import type { View } from "../../lib/view";
import { posts as text } from "../../strings/posts";

// A PostOrder is an order of posts, as in the parameter sort of the API.
export type PostOrder = keyof typeof text.orders;

export type Posts = Pages<HighlightedPost, PostsResponse>;

const pageSize = 50;
const copiesPageSize = 10;

// useOrder returns the order in the URL and a function that sets it. Newest first is the default.
export function useOrder(): [PostOrder, (order: PostOrder) => void] {
  const [query, change] = useQuery();
  const requested = query.get("sort") ?? "";
  const order = Object.hasOwn(text.orders, requested) ? (requested as PostOrder) : "newest";
  return [order, (o) => change({ sort: o === "newest" ? null : o })];
}

// useGrouping returns whether the list groups similar posts, and a function that sets it.
export function useGrouping(): [boolean, (on: boolean) => void] {
  const [query, change] = useQuery();
  return [query.get("group") === "1", (on) => change({ group: on ? "1" : null })];
}

// A PostList says which posts to list, and how.
export interface PostList {
  id: string; // of the monitor or filter
  view: View;
  order: PostOrder;
  group: boolean;
}

const pathOf = (list: PostList) => `/manage/v1/monitors/${list.id}/posts`;

// usePosts loads the posts of a view. A new version reloads them.
export function usePosts(list: PostList, version: number): Posts {
  const query = { ...list.view.params, sort: list.order, group: list.group || undefined };
  return usePages(JSON.stringify([list.id, query]), (cursor, signal) => get<PostsResponse>(pathOf(list), { ...query, limit: pageSize, cursor }, signal), version);
}

// useCopies loads the posts that are similar to a post, including itself.
export function useCopies(list: PostList, post: string): Posts {
  const query = { ...list.view.params, sort: list.order, copiesOf: post };
  return usePages(JSON.stringify([list.id, query]), (cursor, signal) => get<PostsResponse>(pathOf(list), { ...query, limit: copiesPageSize, cursor }, signal));
}
