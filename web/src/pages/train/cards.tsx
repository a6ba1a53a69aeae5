import { useEffect, useRef, useState } from "preact/hooks";
import { categoryColor } from "../../lib/color";
import { Link } from "../../lib/router";
import { useDark } from "../../lib/theme";
import type { Category, Monitor, Suggestion } from "../../lib/types";
import { Card, Checkbox, EmptyState, ErrorNotice, Skeleton } from "../../components/basics";
import { Icon } from "../../components/icon";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { common } from "../../strings/common";
import { train } from "../../strings/train";
import type { Deck } from "./deck";

// Cards shows one post at a time, to be labeled with a click or a key.
export function Cards({ m, deck }: { m: Monitor; deck: Deck }) {
  const [keys, setKeys] = useState(() => localStorage.getItem("trainKeys") !== "off");
  useKeys(keys, m.categories, deck);
  const turnKeys = (on: boolean) => {
    localStorage.setItem("trainKeys", on ? "on" : "off");
    setKeys(on);
  };
  return (
    <section class="stack" aria-label={train.postToLabel}>
      <h2 class="sr">{train.postToLabel}</h2>
      {deck.error && <ErrorNotice error={deck.error} retry={deck.current ? undefined : deck.retry} />}
      <CurrentCard m={m} deck={deck} />
      <Categories m={m} deck={deck} keys={keys} />
      <div class="spread">
        <div class="row">
          <button type="button" class="button" aria-keyshortcuts="0 S" aria-disabled={!deck.current} onClick={deck.skip}>
            {train.skip} {keys && <kbd aria-hidden="true">0</kbd>}
          </button>
          <button type="button" class="button" aria-keyshortcuts="U Control+Z" aria-disabled={!deck.done.length} onClick={deck.undo}>
            <Icon name="undo" />
            {common.actions.undo} {keys && <kbd aria-hidden="true">U</kbd>}
          </button>
          <LastDecision deck={deck} />
        </div>
        <Checkbox label={train.shortcuts} checked={keys} onChange={turnKeys} />
      </div>
      {deck.current && <RestrictedNote posts={[deck.current.post]} />}
    </section>
  );
}

function CurrentCard({ m, deck }: { m: Monitor; deck: Deck }) {
  if (deck.current) return <SuggestedPost key={deck.current.key} suggestion={deck.current} m={m} />;
  if (deck.loading) return <Skeleton height="12rem" label={train.loadingPosts} />;
  if (deck.error) return null;
  const hasTraining = m.categories.some((c) => c.trainingDocs);
  return (
    <Card label={train.noPostLeft}>
      <EmptyState title={hasTraining ? train.doneTitle : train.emptyTitle} actions={<Link class="button" href={`/monitors/${m.id}/posts`}>{train.viewPosts}</Link>}>
        {hasTraining ? train.doneText : train.emptyText}
      </EmptyState>
    </Card>
  );
}

// SuggestedPost shows a post, the reason it was suggested, and the two most likely categories.
function SuggestedPost({ suggestion, m }: { suggestion: Suggestion; m: Monitor }) {
  const name = (id: number) => m.categories.find((c) => c.id === id)?.name ?? "";
  const best = [...suggestion.scores].sort((a, b) => b.score - a.score).slice(0, 2);
  return (
    <PostCard post={suggestion.post} zone={m.timezone} scores={false}>
      <span class={`badge ${suggestion.reason === "unsure" ? "warn" : ""}`}>{suggestion.reason === "unsure" ? train.unsure : train.random}</span>
      {best.length > 0 && <span class="small muted">{train.prediction(best.map((s) => ({ category: name(s.categoryId), share: s.score })))}</span>}
    </PostCard>
  );
}

// Categories has one button per category, which assigns the post to it.
function Categories({ m, deck, keys }: { m: Monitor; deck: Deck; keys: boolean }) {
  const dark = useDark();
  return (
    <div class="train-categories" role="group" aria-label={common.words.categories}>
      {m.categories.map((c, i) => (
        <button key={c.id} type="button" class="button" aria-keyshortcuts={i < 9 ? String(i + 1) : undefined} aria-disabled={!deck.current} onClick={() => deck.put(c)}>
          {keys && i < 9 && <kbd aria-hidden="true">{i + 1}</kbd>}
          <span class="dot" style={{ background: categoryColor(c.name, i, dark) }} />
          <span class="break">{c.name}</span>
        </button>
      ))}
    </div>
  );
}

// LastDecision announces the last decision. Screen readers read it out, because they do not notice
// that the card changed.
function LastDecision({ deck }: { deck: Deck }) {
  const last = deck.done.at(-1);
  const assigned = deck.done.filter((d) => d.category).length;
  return (
    <span class="small muted" role="status">
      {last && (last.category ? train.labeled(last.category.name) : train.skipped)}
      {assigned > 0 && train.session(assigned)}
      {deck.saving > 0 && train.saving}
    </span>
  );
}

// useKeys handles the keyboard shortcuts: 1 to 9 assign a category, 0 or S skips, and U or Ctrl+Z
// undoes. Keys typed into fields are ignored.
function useKeys(on: boolean, categories: Category[], deck: Deck) {
  const latest = useRef({ categories, deck });
  latest.current = { categories, deck };
  useEffect(() => {
    if (!on) return;
    const listen = (e: KeyboardEvent) => {
      const { categories, deck } = latest.current;
      const target = e.target as HTMLElement;
      if (e.repeat || target.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]")) return;
      const key = e.key.toLowerCase();
      const plain = !e.ctrlKey && !e.metaKey && !e.altKey;
      if ((plain && key === "u") || (key === "z" && (e.ctrlKey || e.metaKey) && !e.shiftKey)) deck.undo();
      else if (plain && (key === "0" || key === "s")) deck.skip();
      else if (plain && /^[1-9]$/.test(key) && categories[Number(key) - 1]) deck.put(categories[Number(key) - 1]);
      else return;
      e.preventDefault();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [on]);
}
