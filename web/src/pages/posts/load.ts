import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../lib/api";
import { useLoad } from "../../lib/load";
import type { HighlightedPost, PostsResponse } from "../../lib/types";
import type { View } from "../../lib/view";

export interface Posts {
  items: HighlightedPost[];
  days?: { start: string; end: string }; // date range of the posts
  total: number | undefined; // undefined while loading and after an error
  next: number; // offset of the next page, or 0 if there is none
  loading: boolean;
  error: Error | undefined;
  more: () => void;
  reload: () => void;
}

const pageSize = 50;

// usePosts loads the first page of posts of a view, and further pages when more is called. A new
// version reloads them.
export function usePosts(id: string, view: View, version: number): Posts {
  const query = view.params;
  const page = (offset: number, signal?: AbortSignal) => get<PostsResponse>(`/manage/v1/monitors/${id}/posts`, { ...query, limit: pageSize, offset }, signal);
  const key = JSON.stringify([id, query, version]);
  const first = useLoad(key, (signal) => page(0, signal));
  const [nextPages, setNextPages] = useState<{ items: HighlightedPost[]; next: number } | null>(null);
  const [state, setState] = useState<{ loading: boolean; error?: Error }>({ loading: false });
  const pending = useRef<AbortController | null>(null);
  useEffect(() => {
    setNextPages(null);
    setState({ loading: false });
    return () => pending.current?.abort(); // the pending page belongs to the previous list
  }, [first.data, key]);
  const next = nextPages ? nextPages.next : (first.data?.next ?? 0);
  const more = async () => {
    const control = new AbortController();
    pending.current = control;
    setState({ loading: true });
    try {
      const response = await page(next, control.signal);
      if (control.signal.aborted) return;
      setNextPages((l) => ({ items: [...(l?.items ?? []), ...response.items], next: response.next }));
      setState({ loading: false });
    } catch (error) {
      if (!control.signal.aborted) setState({ loading: false, error: error as Error });
    }
  };
  return {
    items: uniqueByKey([...(first.data?.items ?? []), ...(nextPages?.items ?? [])]),
    days: first.data,
    total: first.error ? undefined : first.data?.total,
    next,
    loading: first.loading || state.loading,
    error: first.error ?? state.error,
    more,
    reload: state.error ? more : first.reload,
  };
}

// uniqueByKey removes duplicates. Pages overlap when new posts arrive between two requests.
function uniqueByKey(posts: HighlightedPost[]): HighlightedPost[] {
  const seen = new Set<string>();
  return posts.filter((p) => !seen.has(p.key) && seen.add(p.key));
}
