import { useEffect, useRef, useState } from "preact/hooks";
import { get, type CallOptions } from "../../lib/api";
import { useLoad } from "../../lib/load";
import type { AnalysisDetail, AnalysisPostsResponse, AnalysisResult, AnalysisState, HighlightedPost } from "../../lib/types";

export const stateTones: Record<AnalysisState, string> = { DONE: "good", WAITING: "warn", SKIPPED: "bad" };

export const loadResult = (id: string) => get<AnalysisResult>(`/api/results/${id}`);
export const loadAnalysis = (id: string) => get<AnalysisDetail>(`/manage/v1/analyses/${id}`);
export const loadPost = (id: string, key: string) => get<HighlightedPost>(`/manage/v1/analyses/${id}/posts/${key}`);

export interface Posts {
  items: HighlightedPost[];
  total: number | undefined; // undefined while loading and after an error
  hasMore: boolean;
  loading: boolean;
  error: Error | undefined;
  more: () => void;
  reload: () => void;
}

// usePosts loads the first page of posts of an analysis, and further pages when more is called.
export function usePosts(id: string, query: CallOptions["query"]): Posts {
  const page = (cursor?: string, signal?: AbortSignal) => get<AnalysisPostsResponse>(`/manage/v1/analyses/${id}/posts`, { ...query, cursor }, signal);
  const key = JSON.stringify([id, query]);
  const first = useLoad(`posts ${key}`, (signal) => page(undefined, signal));
  const [rest, setRest] = useState<AnalysisPostsResponse | null>(null);
  const [state, setState] = useState<{ loading: boolean; error?: Error }>({ loading: false });
  const pending = useRef<AbortController | null>(null);
  useEffect(() => {
    setRest(null);
    setState({ loading: false });
    return () => pending.current?.abort(); // the pending page belongs to the previous list
  }, [first.data, key]);
  const cursor = rest ? rest.cursor : first.data?.cursor;
  const more = async () => {
    const control = new AbortController();
    pending.current = control;
    setState({ loading: true });
    try {
      const next = await page(cursor, control.signal);
      if (control.signal.aborted) return;
      setRest((before) => ({ ...next, items: [...(before?.items ?? []), ...next.items] }));
      setState({ loading: false });
    } catch (error) {
      if (!control.signal.aborted) setState({ loading: false, error: error as Error });
    }
  };
  return {
    items: [...(first.data?.items ?? []), ...(rest?.items ?? [])],
    total: first.error ? undefined : first.data?.total,
    hasMore: Boolean(cursor),
    loading: first.loading || state.loading,
    error: first.error ?? state.error,
    more,
    reload: state.error ? more : first.reload,
  };
}
