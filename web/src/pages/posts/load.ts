import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../lib/api";
import { useLoad } from "../../lib/load";
import type { HighlightedPost, PostsResponse } from "../../lib/types";
import type { View } from "../../lib/view";

export interface Posts {
  items: HighlightedPost[];
  days?: { start: string; end: string }; // those that the posts are of
  total: number | undefined; // not known yet, or not to be had
  next: number; // where the next ones begin, 0: there are no more
  loading: boolean;
  error: Error | undefined;
  more: () => void;
  reload: () => void;
}

const pageSize = 50;

// usePosts loads the posts of a view, the first ones at once and others when asked for more.
export function usePosts(id: string, view: View, version: number): Posts {
  const query = { start: view.start, end: view.end, filter: view.filterText };
  const page = (offset: number, signal?: AbortSignal) => get<PostsResponse>(`/manage/v1/monitors/${id}/posts`, { ...query, limit: pageSize, offset }, signal);
  const key = JSON.stringify([id, query, version]);
  const first = useLoad(key, (signal) => page(0, signal));
  const [nextPages, setNextPages] = useState<{ items: HighlightedPost[]; next: number } | null>(null);
  const [state, setState] = useState<{ loading: boolean; error?: Error }>({ loading: false });
  const pending = useRef<AbortController | null>(null);
  useEffect(() => {
    setNextPages(null);
    setState({ loading: false });
    return () => pending.current?.abort(); // what was asked for belongs to the posts before
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

// uniqueByKey leaves out posts that are there twice: when new ones come in between, pages overlap.
function uniqueByKey(posts: HighlightedPost[]): HighlightedPost[] {
  const seen = new Set<string>();
  return posts.filter((p) => !seen.has(p.key) && seen.add(p.key));
}
