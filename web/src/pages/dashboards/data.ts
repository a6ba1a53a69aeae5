import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, get, isAborted, patch } from "../../lib/api";
import { useLoad } from "../../lib/load";
import type { CardItem, CardsResponse, DashboardPage, ShownCard } from "../../lib/types";
import type { Days } from "../../components/cards/card";

// A Draft is a dashboard as the page shows it, with changes that may not be saved yet.
export interface Draft {
  name: string;
  range: DashboardPage["range"];
  cards: ShownCard[];
}

export interface Editing {
  saved: DashboardPage | undefined; // the last version from the server
  draft: Draft | undefined;
  error: Error | undefined; // why the dashboard was not loaded
  saving: boolean;
  failed: Error | undefined; // why the last change was not saved
  change: (draft: Partial<Draft>) => void;
  save: () => void; // tries again to save what failed
  reload: () => void; // drops changes that are not saved
}

// useDashboard loads a dashboard and saves changes of it, one request at a time. A change made while
// another one is being saved follows it. New cards have the id 0 until they are saved.
export function useDashboard(id: string): Editing {
  const path = `/manage/v1/dashboards/${id}`;
  const loaded = useLoad(`dashboard ${id}`, (signal) => get<DashboardPage>(path, {}, signal));
  const [saved, setSaved] = useState<DashboardPage>();
  const [draft, setDraft] = useState<Draft>();
  const [saving, setSaving] = useState(false);
  const [failed, setFailed] = useState<Error>();
  const latest = useRef<{ saved?: DashboardPage; draft?: Draft; busy: boolean }>({ busy: false });
  const adopt = (d: DashboardPage) => {
    latest.current.saved = d;
    setSaved(d);
  };
  const show = (d: Draft) => {
    latest.current.draft = d;
    setDraft(d);
  };
  const dropping = useRef(false); // the user has chosen to drop changes that are not saved
  useEffect(() => {
    if (!loaded.data) return;
    const unsaved = (failed || latest.current.busy) && !dropping.current; // for example after signing in again
    dropping.current = false;
    if (unsaved) {
      void save();
      return;
    }
    adopt(loaded.data);
    show(loaded.data);
    setFailed(undefined);
  }, [loaded.data]);
  const save = async () => {
    const now = latest.current;
    if (now.busy) return;
    now.busy = true;
    setSaving(true);
    try {
      for (let sent: Draft | undefined; sent !== now.draft; ) {
        sent = now.draft!;
        const { name, range, cards } = sent;
        const answer = await patch<DashboardPage>(path, { name, range, cards, revision: now.saved!.revision });
        adopt(answer);
        if (now.draft === sent) show((sent = answer));
        else show({ ...now.draft!, cards: withIds(now.draft!.cards, sent.cards, answer.cards) });
      }
      setFailed(undefined);
    } catch (err) {
      setFailed(err as Error);
    }
    now.busy = false;
    setSaving(false);
  };
  const change = (changes: Partial<Draft>) => {
    show({ ...latest.current.draft!, ...changes });
    void save();
  };
  const reload = () => {
    dropping.current = true;
    loaded.reload();
  };
  return { saved, draft, error: loaded.error, saving, failed, change, save, reload };
}

// withIds gives the cards of a newer draft the ids that the server has assigned to those it was sent.
function withIds(cards: ShownCard[], sent: ShownCard[], answer: ShownCard[]): ShownCard[] {
  return cards.map((card) => {
    const at = card.id ? -1 : sent.indexOf(card);
    return at < 0 ? card : answer[at];
  });
}

// A Loaded is the data of a card, or why there is none.
export interface Loaded {
  item?: CardItem;
  error?: Error;
}

export interface CardsState {
  of: (card: ShownCard) => Loaded;
  loading: boolean;
  updated: Date | undefined; // when everything was last loaded
  away: boolean; // the last reload failed, so the data is older
  zone: string | undefined; // time zone of the first monitor, once it is known
  reload: () => void;
}

// signature identifies what a card shows. Cards that only moved or changed their width are not loaded
// again.
const signature = (c: ShownCard, days: Days) => JSON.stringify([c.id, c.kind, c.monitor, c.filter, c.range, c.start, c.end, c.sort, c.rows, c.earlier, c.range || c.start ? "" : days]);

// Kinds that take longer than others. Each is loaded on its own.
const slow = ["words", "topics", "posts", "comparison"];

// groupOf returns a key for cards that one request loads, because the server counts them together.
const groupOf = (c: ShownCard) => (slow.includes(c.kind) ? `card ${c.id}` : JSON.stringify([c.monitor, c.filter, c.range, c.start, c.end]));

// useCards loads the data of the cards of a dashboard, in groups about the same posts.
export function useCards(saved: DashboardPage | undefined, days: Days): CardsState {
  const [items, setItems] = useState<ReadonlyMap<string, Loaded>>(new Map());
  const [pending, setPending] = useState(0);
  const [version, setVersion] = useState(0);
  const [updated, setUpdated] = useState<Date>();
  const [away, setAway] = useState(false);
  const started = useRef(new Map<string, number>()); // the version for which each signature was requested
  const cards = useMemo(() => (saved?.cards ?? []).filter((c) => c.kind !== "text" && !c.removed), [saved]);
  const wanted = cards.map((c) => signature(c, days)).join("\n");
  useEffect(() => {
    const missing = cards.filter((c) => started.current.get(signature(c, days)) !== version);
    if (missing.length === 0) return;
    for (const c of missing) started.current.set(signature(c, days), version);
    const groups = new Map<string, ShownCard[]>();
    for (const c of missing) groups.set(groupOf(c), [...(groups.get(groupOf(c)) ?? []), c]);
    setPending((n) => n + groups.size);
    const load = async (group: ShownCard[]) => {
      const ids = group.map((c) => c.id).join(",");
      try {
        const { items } = await get<CardsResponse>(`/manage/v1/dashboards/${saved!.id}/cards`, { ...days, ids });
        setItems((old) => new Map([...old, ...group.map((c, i) => [signature(c, days), found(items[i])] as const)]));
        setUpdated(new Date());
        setAway(false);
      } catch (error) {
        if (isAborted(error)) return;
        if (error instanceof ApiError && error.status === 0) setAway(true);
        setItems((old) => new Map([...old, ...group.map((c) => [signature(c, days), { item: old.get(signature(c, days))?.item, error: error as Error }] as const)]));
      } finally {
        setPending((n) => n - 1);
      }
    };
    for (const group of groups.values()) void load(group);
  }, [wanted, version]);
  const zone = cards.map((c) => items.get(signature(c, days))?.item?.overview?.monitor.timezone).find(Boolean);
  return { of: (card) => items.get(signature(card, days)) ?? {}, zone, loading: pending > 0, updated, away, reload: () => setVersion((n) => n + 1) };
}

const found = (item: CardItem): Loaded => (item.error ? { error: new Error(item.error) } : { item });
