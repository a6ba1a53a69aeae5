import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call, get, post as send, remove } from "../../lib/api";
import type { HighlightedPost, LabelsResponse, UnlabeledPosts } from "../../lib/types";
import { useClosing, useUnsaved } from "../../lib/unsaved";
import { showError } from "../../components/toast";

const ahead = 10; // posts to load at a time
const refillBelow = 5; // load more when fewer are left

// A PostLabel is what a person says about a post. An empty one means that the person cannot tell.
export interface PostLabel {
  sentiment?: string;
  emotion?: string;
  category?: string; // ID
}

// A LabelCard is a post to label. again means that the caller has labeled it before.
export interface LabelCard {
  post: HighlightedPost;
  again: boolean;
}

interface Decision {
  card: LabelCard;
  label: PostLabel | null; // null takes the label of the post back
}

interface State {
  labels: LabelsResponse | undefined;
  cards: LabelCard[];
  done: Decision[]; // on this page, newest last
  unsent: Decision[]; // in the order in which they are sent; the first may be in flight
  sending: boolean;
  failed: Error | undefined; // why the first unsent decision was not saved
  loading: boolean;
  complete: boolean; // whether the server has no posts other than the cards
  error: Error | undefined; // why posts or labels were not loaded
}

export interface Deck extends Pick<State, "labels" | "done" | "unsent" | "sending" | "failed" | "loading" | "error"> {
  current: LabelCard | undefined;
  labeled: number; // posts that the caller has labeled, including labels that are not saved yet
  empty: boolean; // whether there is nothing left to label
  put: (label: PostLabel) => void;
  undo: () => void;
  retry: () => void; // sends or loads again what failed
  discard: () => void; // gives up the decision that was not saved
  again: (card: LabelCard) => void; // puts a post on top
  draw: (posts: number) => Promise<void>;
  removeSample: (id: number) => Promise<void>;
}

// useDeck manages the posts to label. The next post is available at once: posts are loaded ahead, and
// labels are sent in the background, in order. One that fails stays first until it is sent again.
export function useDeck(id: string): Deck {
  const path = `/manage/v1/monitors/${id}`;
  const [, setVersion] = useState(0);
  const s = useRef<State>({ labels: undefined, cards: [], done: [], unsent: [], sending: false, failed: undefined, loading: false, complete: false, error: undefined }).current;
  const set = (changes: Partial<State>) => {
    Object.assign(s, changes);
    setVersion((n) => n + 1);
  };
  const shown = useRef(true);
  useEffect(() => () => void (shown.current = false), []);

  const load = async () => {
    try {
      set({ labels: await get<LabelsResponse>(`${path}/labels`) });
    } catch (error) {
      set({ error: error as Error });
    }
  };
  useEffect(() => void load(), []);

  const refill = async () => {
    set({ loading: true });
    try {
      const { items } = await get<UnlabeledPosts>(`${path}/labels/next`, { limit: ahead + s.cards.length + s.unsent.length });
      const known = new Set([...s.cards.map((c) => c.post.key), ...s.done.map((d) => d.card.post.key)]);
      const fresh = items.filter((p) => !known.has(p.key)).map((post) => ({ post, again: false }));
      set({ cards: [...s.cards, ...fresh], complete: fresh.length === 0, loading: false });
    } catch (error) {
      set({ error: error as Error, loading: false });
    }
  };
  const needsMore = s.labels !== undefined && !s.loading && !s.complete && !s.error && s.cards.length < refillBelow;
  useEffect(() => {
    if (needsMore) refill();
  }, [needsMore]);
  useClosing(s.unsent.length > 0);
  useUnsaved(s.failed !== undefined);

  const flush = async () => {
    if (s.sending || s.failed) return;
    set({ sending: true });
    while (s.unsent.length > 0) {
      const { card, label } = s.unsent[0];
      try {
        const labels = await call<LabelsResponse>(label ? "PUT" : "DELETE", `${path}/posts/${encodeURIComponent(card.post.key)}/label`, { body: label ?? undefined, keepalive: true }); // completes even if the page is closed
        set({ labels, unsent: s.unsent.slice(1) });
      } catch (err) {
        if (!label && err instanceof ApiError && err.status === 404) {
          set({ unsent: s.unsent.slice(1) }); // there is no label to take back
          continue;
        }
        if (!shown.current) showError(err);
        set({ failed: err as Error, sending: false });
        return;
      }
    }
    set({ sending: false });
  };
  const put = (label: PostLabel) => {
    const [card, ...cards] = s.cards;
    if (!card) return;
    const d = { card, label };
    set({ cards, done: [...s.done, d], unsent: [...s.unsent, d] });
    flush();
  };
  const undo = () => {
    const d = s.done.at(-1);
    if (!d) return;
    const isWaiting = s.unsent.at(-1) === d && !(s.sending && s.unsent[0] === d);
    const card = isWaiting ? d.card : { ...d.card, again: false };
    set({ done: s.done.slice(0, -1), cards: [card, ...s.cards.filter((c) => c.post.key !== card.post.key)] });
    if (isWaiting) {
      const unsent = s.unsent.slice(0, -1);
      set({ unsent, failed: unsent.length ? s.failed : undefined });
      return;
    }
    set({ unsent: [...s.unsent, { card, label: null }] });
    flush();
  };
  const retry = () => {
    set({ failed: undefined, error: undefined });
    if (!s.labels) load();
    flush();
  };
  const discard = () => {
    const [d, ...unsent] = s.unsent;
    set({ unsent, done: s.done.filter((x) => x !== d), failed: undefined, complete: false });
    flush();
  };
  const again = (card: LabelCard) => set({ cards: [card, ...s.cards.filter((c) => c.post.key !== card.post.key)] });
  const draw = async (posts: number) => set({ labels: await send<LabelsResponse>(`${path}/samples`, { posts }), complete: false });
  const removeSample = async (sample: number) => {
    await remove(`/manage/v1/samples/${sample}`);
    set({ cards: [], done: [], complete: false });
    await load();
  };

  const change = (d: Decision) => (!d.label ? -1 : d.card.again ? 0 : 1);
  const labeled = s.labels ? s.labels.posts - s.labels.remaining + s.unsent.reduce((n, d) => n + change(d), 0) : 0;
  const empty = s.labels !== undefined && s.complete && s.cards.length === 0;
  const { labels, done, unsent, sending, failed, loading, error } = s;
  return { labels, done, unsent, sending, failed, loading, error, current: s.cards[0], labeled, empty, put, undo, retry, discard, again, draw, removeSample };
}
