import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call, remove } from "../../lib/api";
import type { AddedTraining, Category, Suggestion } from "../../lib/types";
import { showError } from "../../components/toast";
import { loadSuggestions, trainingPath } from "./data";

const refillBelow = 8; // when so few are left, more are fetched
const maxDraws = 3; // without anything new, after which there is nothing left

interface Decision {
  suggestion: Suggestion;
  category?: Category; // none: skipped
  trainingId?: string; // once the server has it
  sent?: Promise<void>; // ends when the server has answered
}

interface State {
  cards: Suggestion[];
  done: Decision[]; // in this sitting, newest last
  saving: number; // decisions that the server has not answered yet
  error: Error | undefined;
  loading: boolean;
  seed: number;
  idle: number; // draws in a row without anything new
}

export interface Deck extends Pick<State, "done" | "saving" | "error" | "loading"> {
  current: Suggestion | undefined;
  put: (category: Category) => void;
  skip: () => void;
  undo: () => void;
  retry: () => void;
  renew: () => void; // there is a new model: other posts are worth a look now
}

// withdraw takes a training post back; that somebody else has done so already is no failure.
async function withdraw(id: string, trainingId: string) {
  try {
    await remove(trainingPath(id, trainingId));
  } catch (err) {
    if (!(err instanceof ApiError && err.status === 404)) throw err;
  }
}

// useDeck deals posts to be put into categories. The next card is there at once: more are fetched while the reader thinks, and
// decisions are sent meanwhile. The server answers when it has learnt from them, so one does not wait for the other. One that the server does not take comes back on top, with the reason.
export function useDeck(id: string, onChange: () => void): Deck {
  const [, setVersion] = useState(0);
  const state = useRef<State>({ cards: [], done: [], saving: 0, error: undefined, loading: false, seed: 0, idle: 0 });
  const seen = useRef(new Set<string>());
  const changed = useRef(onChange);
  changed.current = onChange;
  const s = state.current;
  const set = (changes: Partial<State>) => {
    Object.assign(s, changes);
    setVersion((n) => n + 1);
  };

  const draw = async () => {
    set({ loading: true });
    try {
      const { items } = await loadSuggestions(id, s.seed);
      const fresh = items.filter((x) => !seen.current.has(x.key));
      for (const x of fresh) seen.current.add(x.key);
      set({ cards: [...s.cards, ...fresh], seed: s.seed + 1, idle: fresh.length ? 0 : s.idle + 1, loading: false });
    } catch (err) {
      set({ error: err as Error, idle: maxDraws, loading: false });
    }
  };
  const needsMore = !s.loading && s.idle < maxDraws && s.cards.length < refillBelow;
  useEffect(() => {
    if (needsMore) draw();
  }, [needsMore]);
  useLeaving(s.saving > 0);

  // send does something; what fails is undone here, and told.
  const send = async (what: () => Promise<unknown>, back: () => void, complaint: string) => {
    set({ saving: s.saving + 1, error: undefined });
    try {
      await what();
      changed.current();
    } catch (err) {
      const error = new Error(`${complaint}: ${(err as Error).message}`);
      back();
      set({ error });
      showError(error);
    }
    set({ saving: s.saving - 1 });
  };
  const onTop = (x: Suggestion) => set({ cards: [x, ...s.cards.filter((c) => c.key !== x.key)] });
  const off = (d: Decision) => set({ done: s.done.filter((x) => x !== d) });
  const decide = (category?: Category): Decision | undefined => {
    const [suggestion, ...cards] = s.cards;
    if (!suggestion) return undefined;
    const decision: Decision = { suggestion, category };
    set({ cards, done: [...s.done, decision] });
    return decision;
  };
  const put = (category: Category) => {
    const d = decide(category);
    if (!d) return;
    const teach = async () => {
      // It goes out even if the page is left at once.
      const body = { posts: [{ key: d.suggestion.key }], categoryId: category.id };
      const response = await call<AddedTraining>("POST", trainingPath(id), { body, keepalive: true });
      d.trainingId = response.ids?.[0];
    };
    const back = () => {
      off(d);
      onTop(d.suggestion);
    };
    d.sent = send(teach, back, "This post was not saved");
  };
  const undo = () => {
    const d = s.done.at(-1);
    if (!d) return;
    off(d);
    onTop(d.suggestion);
    if (!d.category) return;
    const back = () => set({ done: [...s.done, d], cards: s.cards.filter((c) => c.key !== d.suggestion.key) });
    const takeBack = async () => {
      await d.sent;
      if (d.trainingId) await withdraw(id, d.trainingId);
    };
    send(takeBack, back, "The last post could not be taken back");
  };
  const retry = () => set({ error: undefined, idle: 0 });
  const renew = () => {
    for (const x of s.cards.slice(1)) seen.current.delete(x.key);
    set({ cards: s.cards.slice(0, 1), idle: 0 });
  };
  return { current: s.cards[0], done: s.done, saving: s.saving, error: s.error, loading: s.loading, put, skip: () => decide(), undo, retry, renew };
}

// useLeaving asks before the window is closed while something is not saved yet.
function useLeaving(unsaved: boolean) {
  useEffect(() => {
    if (!unsaved) return;
    const ask = (e: BeforeUnloadEvent) => e.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [unsaved]);
}
