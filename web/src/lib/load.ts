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
  loaded: string | null; // the key that data or error belongs to
  reload: () => void;
}

// kept has the latest data of the loads with the option keep, by key.
const kept = new Map<string, unknown>();
const maxKept = 50;
const pending = new Map<string, Promise<unknown>>();

function keep(key: string, data: unknown) {
  kept.delete(key);
  kept.set(key, data);
  if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
}

// loadOnce loads data unless the same data is being loaded.
function loadOnce<T>(key: string, load: () => Promise<T>): Promise<T> {
  const running = (pending.get(key) as Promise<T> | undefined) ?? load().finally(() => pending.delete(key));
  pending.set(key, running);
  return running;
}

// useLoad loads data, and loads it again whenever the key changes. It loads nothing if the key is
// null. A new load cancels the one in progress. With the option keep, a page that loads the same
// data as an earlier one begins with that data.
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>, options: { keep?: boolean } = {}): LoadState<T> {
  const [state, setState] = useState<{ data?: T; error?: Error; loading: boolean; of?: string }>(() => ({ data: options.keep && key !== null ? (kept.get(key) as T | undefined) : undefined, loading: key !== null }));
  const [version, setVersion] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === null) {
      setState({ loading: false });
      return;
    }
    const control = new AbortController();
    setState((s) => ({ data: s.data, error: undefined, loading: true, of: s.of }));
    const loading = options.keep && version === 0 ? loadOnce(key, () => latest.current(new AbortController().signal)) : latest.current(control.signal);
    loading
      .then((data) => {
        if (options.keep) keep(key, data);
        if (!control.signal.aborted) setState({ data, loading: false, of: key });
      })
      .catch((error) => {
        if (!control.signal.aborted && !isAborted(error)) setState((s) => ({ data: s.data, error, loading: false, of: key }));
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
  return { data: state.data, error: state.error, loading: state.loading, loaded: state.of ?? null, reload };
}

// useStages hands a new value to one part of a page after the other, so that the browser can respond
// to the user in between and the first part is up to date soon. It returns the value of a part,
// undefined before its first one, and whether all parts have the new value.
export function useStages<T>(value: T, parts: number): [(part: number) => T | undefined, boolean] {
  const [stage, setStage] = useState<{ value: T; before?: T; done: number }>({ value, done: 1 });
  const current = stage.value === value ? stage : { value, before: stage.value, done: 1 };
  if (current !== stage) setStage(current);
  useEffect(() => {
    if (stage.done === parts) return;
    const timer = setTimeout(() => setStage((s) => ({ ...s, done: s.done + 1 })));
    return () => clearTimeout(timer);
  }, [stage]);
  return [(part) => (part < current.done ? current.value : current.before), current.done === parts];
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

// useGrace reports whether to show a page. It waits a moment for a part at its top after the rest has
// loaded, because what comes later moves everything below it.
export function useGrace(loaded: boolean, complete: boolean, ms = 1500): boolean {
  const [isOver, setOver] = useState(false);
  const open = useRef(false);
  useEffect(() => {
    if (!loaded) return;
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [loaded]);
  if (complete || isOver) open.current = true;
  return open.current;
}
