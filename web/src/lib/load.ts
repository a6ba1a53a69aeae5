import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isAborted } from "./api";

const reloaders = new Set<() => void>();

// reloadAll reloads everything on the page, after the user has signed in again.
export function reloadAll() {
  for (const reload of reloaders) reload();
}

export interface LoadState<T> {
  data: T | undefined; // while reloading, the previous data, so that pages do not flicker
  error: Error | undefined;
  loading: boolean;
  reload: () => void;
}

// useLoad loads data, and loads it again whenever the key changes. It loads nothing if the key is
// null. A new load cancels the one in progress.
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): LoadState<T> {
  const [state, setState] = useState<{ data?: T; error?: Error; loading: boolean }>({ loading: key !== null });
  const [version, setVersion] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === null) {
      setState({ loading: false });
      return;
    }
    const control = new AbortController();
    setState((s) => ({ data: s.data, error: undefined, loading: true }));
    latest
      .current(control.signal)
      .then((data) => {
        if (!control.signal.aborted) setState({ data, loading: false });
      })
      .catch((error) => {
        if (!control.signal.aborted && !isAborted(error)) setState((s) => ({ data: s.data, error, loading: false }));
      });
    return () => control.abort();
  }, [key, version]);
  const reload = useCallback(() => setVersion((n) => n + 1), []);
  useEffect(() => {
    reloaders.add(reload);
    return () => {
      reloaders.delete(reload);
    };
  }, []);
  return { data: state.data, error: state.error, loading: state.loading, reload };
}

// useInterval calls fn every ms milliseconds while the page is visible. 0 stops it.
export function useInterval(ms: number, fn: () => void) {
  const latest = useRef(fn);
  latest.current = fn;
  useEffect(() => {
    if (!ms) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}

// useDebounced returns the value once it has not changed for ms milliseconds.
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
