import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api";
import { useLoad } from "./load";
import { wentBack } from "./router";

// A CursorPage is a page of a list. The cursor leads to the next page; the last page has none.
export interface CursorPage<T> {
  items: T[];
  cursor?: string;
}

export interface Pages<T, P> {
  first: P | undefined; // the first page
  items: T[]; // of all loaded pages
  hasMore: boolean;
  loading: boolean;
  error: Error | undefined;
  more: () => void; // loads the next page
  reload: () => void;
  place: string; // the item to return to, or ""
  leaveAt: (item: string) => void; // says which item the user is about to leave for another page
}

// A KeptList is a list that the user has left. It is restored when the back button leads to it.
interface KeptList {
  key: string;
  pages: CursorPage<unknown>[];
  place: string;
}

let kept: KeptList | null = null;

const restore = (key: string | null) => (wentBack() && kept?.key === key ? kept : null);

// usePages loads the first page of a list, and further pages when more is called. It starts over
// whenever the key or the version changes. It loads nothing if the key is null.
export function usePages<T, P extends CursorPage<T>>(key: string | null, load: (cursor: string | undefined, signal: AbortSignal) => Promise<P>, version = 0): Pages<T, P> {
  const [restored, setRestored] = useState(() => restore(key));
  const [initial] = useState(version);
  const old = restored?.key === key && version === initial ? restored : null;
  const loaded = useLoad(old || key === null ? null : `${version} ${key}`, (signal) => load(undefined, signal));
  const first = old ? (old.pages[0] as P) : loaded.data;
  const [next, setNext] = useState<{ of?: P; pages: P[] }>({ of: first, pages: (old?.pages.slice(1) ?? []) as P[] });
  const [state, setState] = useState<{ loading: boolean; error?: Error }>({ loading: false });
  const pending = useRef<AbortController | null>(null);
  const pages = first ? [first, ...(next.of === first ? next.pages : [])] : []; // pages after the first of another list are dropped
  const cursor = pages.at(-1)?.cursor;
  // Before the new list can be clicked: a later effect would abort the page that the user asks for.
  useLayoutEffect(() => {
    setState({ loading: false });
    return () => pending.current?.abort(); // the pending page belongs to the previous list
  }, [first, key]);
  const more = async () => {
    const control = new AbortController();
    pending.current = control;
    setState({ loading: true });
    try {
      const page = await load(cursor, control.signal);
      if (control.signal.aborted) return;
      setNext({ of: first, pages: [...pages.slice(1), page] });
      setState({ loading: false });
    } catch (error) {
      if (!control.signal.aborted) setState({ loading: false, error: error as Error });
    }
  };
  const startOver = () => {
    setRestored(null);
    loaded.reload();
  };
  const isGone = state.error instanceof ApiError && state.error.status === 400; // the post of the cursor was deleted
  return {
    first,
    items: pages.flatMap((p) => p.items),
    hasMore: cursor !== undefined,
    loading: loaded.loading || state.loading,
    error: loaded.error ?? state.error,
    more,
    reload: state.error && !isGone ? more : startOver,
    place: old?.place ?? "",
    leaveAt: (place) => {
      if (key !== null) kept = { key, pages, place };
    },
  };
}
