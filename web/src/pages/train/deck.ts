import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call, remove } from "../../lib/api";
import type { AddedTraining, Category, Suggestion } from "../../lib/types";
import { useClosing } from "../../lib/unsaved";
import { showError } from "../../components/toast";
import { train } from "../../strings/train";
import { loadSuggestions, trainingPath } from "./data";

const refillBelow = 8; // load more suggestions when fewer cards are left
const maxDraws = 3; // consecutive draws without a new suggestion before the deck counts as empty

interface Decision {
  suggestion: Suggestion;
  category?: Category; // undefined if skipped
  trainingId?: string; // set when the server has stored it
  sent?: Promise<void>; // resolves when the server has responded
}

interface State {
  cards: Suggestion[];
  done: Decision[]; // in this session, newest last
  saving: number; // requests in flight
  error: Error | undefined;
  loading: boolean;
  seed: number;
  idle: number; // consecutive draws without a new suggestion
}

export interface Deck extends Pick<State, "done" | "saving" | "error" | "loading"> {
  current: Suggestion | undefined;
  put: (category: Category) => void;
  skip: () => void;
  undo: () => void;
  retry: () => void;
  renew: () => void; // replaces the suggestions after the model was retrained
}

// withdraw deletes a training post. It succeeds if the post is already deleted.
async function withdraw(id: string, trainingId: string) {
  try {
    await remove(trainingPath(id, trainingId));
  } catch (err) {
    if (!(err instanceof ApiError && err.status === 404)) throw err;
  }
}

// useDeck manages the posts to label. The next card is available at once: suggestions are loaded
// ahead, and decisions are sent in the background without waiting for each other. If the server
// rejects a decision, its card returns to the top with the error.
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
  useClosing(s.saving > 0);

  // send runs a request. If it fails, send reverts the local change and shows the error.
  const send = async (what: () => Promise<unknown>, back: () => void, failed: (message: string) => string) => {
    set({ saving: s.saving + 1, error: undefined });
    try {
      await what();
      changed.current();
    } catch (err) {
      const error = new Error(failed((err as Error).message));
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
    const add = async () => {
      const body = { posts: [{ key: d.suggestion.key }], categoryId: category.id };
      const response = await call<AddedTraining>("POST", trainingPath(id), { body, keepalive: true }); // completes even if the page is closed
      d.trainingId = response.ids?.[0];
    };
    const back = () => {
      off(d);
      onTop(d.suggestion);
    };
    d.sent = send(add, back, train.saveFailed);
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
    send(takeBack, back, train.undoFailed);
  };
  const retry = () => set({ error: undefined, idle: 0 });
  const renew = () => {
    for (const x of s.cards.slice(1)) seen.current.delete(x.key);
    set({ cards: s.cards.slice(0, 1), idle: 0 });
  };
  return { current: s.cards[0], done: s.done, saving: s.saving, error: s.error, loading: s.loading, put, skip: () => decide(), undo, retry, renew };
}
