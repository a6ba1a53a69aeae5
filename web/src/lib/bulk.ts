// Changes of several posts at once, which can be undone.
import { patch } from "./api";
import { adoptCorrection, type CorrectedField } from "./correction";
import type { ShownPost } from "./post";
import type { BulkResponse } from "./types";

// A BulkChange marks or corrects posts.
export interface BulkChange {
  mark?: { starred?: boolean; addTags?: string[]; removeTags?: string[]; assignee?: number };
  correction?: Partial<Record<CorrectedField, string>>;
}

// changePosts changes all posts or, if it fails, none. The result undoes that.
export async function changePosts(monitor: string, posts: ShownPost[], change: BulkChange): Promise<() => Promise<void>> {
  const groups = new Map<string, ShownPost[]>(); // by the change that undoes theirs
  for (const post of posts) {
    const inverse = JSON.stringify(inverseOf(change, post));
    groups.set(inverse, [...(groups.get(inverse) ?? []), post]);
  }
  await send(monitor, posts, change);
  groups.delete("null");
  return async () => {
    for (const [inverse, list] of groups) await send(monitor, list, JSON.parse(inverse));
  };
}

async function send(monitor: string, posts: ShownPost[], change: BulkChange) {
  const { posts: changed } = await patch<BulkResponse>(`/manage/v1/monitors/${monitor}/posts`, { posts: posts.map((p) => p.key), ...change });
  changed.forEach((now, i) => {
    posts[i].mark = now.mark;
    adoptCorrection(posts[i], now);
  });
}

// inverseOf returns the change that undoes another one of a post, or null if the post has that already.
function inverseOf({ mark, correction }: BulkChange, post: ShownPost): BulkChange | null {
  if (correction) {
    const before = Object.keys(correction).map((field) => [field, post.correction?.[field as CorrectedField] ?? ""]);
    return before.every(([field, value]) => correction[field as CorrectedField] === value) ? null : { correction: Object.fromEntries(before) };
  }
  const has = (tag: string) => post.mark?.tags.some((t) => t.toLowerCase() === tag.toLowerCase());
  if (mark?.starred !== undefined) return Boolean(post.mark?.starred) === mark.starred ? null : { mark: { starred: !mark.starred } };
  if (mark?.assignee !== undefined) return (post.mark?.assignee?.id ?? 0) === mark.assignee ? null : { mark: { assignee: post.mark?.assignee?.id ?? 0 } };
  const added = mark?.addTags?.filter((tag) => !has(tag)) ?? [];
  const removed = mark?.removeTags?.filter(has) ?? [];
  return added.length + removed.length ? { mark: { addTags: removed, removeTags: added } } : null;
}
