import { useEffect, useRef, useState } from "preact/hooks";
import { categoryColor } from "../../lib/color";
import { percent, plural } from "../../lib/format";
import { Link } from "../../lib/router";
import { useDark } from "../../lib/theme";
import type { Category, Monitor, Suggestion } from "../../lib/types";
import { Card, Checkbox, EmptyState, ErrorNotice, Skeleton } from "../../components/basics";
import { Icon } from "../../components/icon";
import { PostCard } from "../../components/postcard";
import type { Deck } from "./deck";

// Cards shows one post after the other, to be put into a category by a click or a key.
export function Cards({ m, deck }: { m: Monitor; deck: Deck }) {
  const [keys, setKeys] = useState(() => localStorage.getItem("trainKeys") !== "off");
  useKeys(keys, m.categories, deck);
  const turnKeys = (on: boolean) => {
    localStorage.setItem("trainKeys", on ? "on" : "off");
    setKeys(on);
  };
  return (
    <section class="stack" aria-label="Post to sort">
      <h2 class="sr">Post to sort</h2>
      {deck.error && <ErrorNotice error={deck.error} retry={deck.current ? undefined : deck.retry} />}
      <CurrentCard m={m} deck={deck} />
      <Categories m={m} deck={deck} keys={keys} />
      <div class="spread">
        <div class="row">
          <button type="button" class="button" aria-keyshortcuts="0 S" aria-disabled={!deck.current} onClick={deck.skip}>
            Skip {keys && <kbd aria-hidden="true">0</kbd>}
          </button>
          <button type="button" class="button" aria-keyshortcuts="U Control+Z" aria-disabled={!deck.done.length} onClick={deck.undo}>
            <Icon name="undo" />
            Undo {keys && <kbd aria-hidden="true">U</kbd>}
          </button>
          <LastDecision deck={deck} />
        </div>
        <Checkbox label="Use keys" checked={keys} onChange={turnKeys} />
      </div>
    </section>
  );
}

function CurrentCard({ m, deck }: { m: Monitor; deck: Deck }) {
  if (deck.current) return <SuggestedPost key={deck.current.key} suggestion={deck.current} m={m} />;
  if (deck.loading) return <Skeleton height="12rem" label="Looking for posts" />;
  if (deck.error) return null;
  const hasTraining = m.categories.some((c) => c.trainingDocs);
  return (
    <Card label="No post left">
      <EmptyState title={hasTraining ? "Nothing left to sort" : "There are no posts to sort yet"} actions={<Link class="button" href={`/monitors/${m.id}/posts`}>See the posts</Link>}>
        {hasTraining ? "You have seen all posts that are worth it at the moment. Reload the page to see skipped ones again." : "As soon as the monitor has found posts they are offered here."}
      </EmptyState>
    </Card>
  );
}

// SuggestedPost is a post, why it is offered, and what the model would say.
function SuggestedPost({ suggestion, m }: { suggestion: Suggestion; m: Monitor }) {
  const name = (id: number) => m.categories.find((c) => c.id === id)?.name ?? "";
  const best = [...suggestion.scores].sort((a, b) => b.score - a.score).slice(0, 2);
  return (
    <PostCard post={suggestion.post} zone={m.timezone} scores={false}>
      <span class={`badge ${suggestion.reason === "unsure" ? "warn" : ""}`}>{suggestion.reason === "unsure" ? "The model is unsure" : "Taken at random"}</span>
      {best.length > 0 && <span class="small muted">The model’s guess: {best.map((s) => `${name(s.categoryId)} ${percent(s.score)}`).join(", ")}</span>}
    </PostCard>
  );
}

// Categories are the buttons that put the post into one of them.
function Categories({ m, deck, keys }: { m: Monitor; deck: Deck; keys: boolean }) {
  const dark = useDark();
  return (
    <div class="train-categories" role="group" aria-label="Categories">
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

// LastDecision says what was done last, also to those who do not see the card change.
function LastDecision({ deck }: { deck: Deck }) {
  const last = deck.done.at(-1);
  const assigned = deck.done.filter((d) => d.category).length;
  return (
    <span class="small muted" role="status">
      {last && (last.category ? `Put into ${last.category.name}.` : "Skipped.")}
      {assigned > 0 && ` ${plural(assigned, "post")} in this sitting.`}
      {deck.saving > 0 && " Saving…"}
    </span>
  );
}

// useKeys lets the number keys put the post into a category, 0 or S skip it and U or Ctrl+Z take the last one back, unless
// somebody is typing.
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
