import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Link } from "../../lib/router";
import type { CardData, ShownCard } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { CardFrame, CardView } from "../../components/cards/cardview";
import { columns, heightOf, hrefOf, titleOf, type Days } from "../../components/cards/card";
import { Icon } from "../../components/icon";
import type { CardsState } from "./data";
import { common } from "../../strings/common";
import { dashboards } from "../../strings/dashboards";

const text = dashboards.card;

interface Props {
  cards: ShownCard[];
  state: CardsState;
  days: Days;
  editing: boolean;
  wall: boolean;
  onChange: (cards: ShownCard[]) => void;
  onEdit: (card: ShownCard) => void;
}

// A Target is where a dragged card would be dropped.
interface Target {
  index: number; // the card it is dropped beside
  after: boolean;
}

const keyOf = (card: ShownCard, index: number) => card.id || `new ${index}`;

// CardGrid shows the cards of a dashboard. While editing, they are moved by dragging their handles or
// with the arrow keys, and the last removal can be undone.
export function CardGrid({ cards, state, days, editing, wall, onChange, onEdit }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const focus = useRef(-1); // the card whose handle gets the focus after the next rendering
  const [said, setSaid] = useState("");
  const [removed, setRemoved] = useState<{ card: ShownCard; index: number } | null>(null);
  const [dragged, setDragged] = useState(-1);
  const [target, setTarget] = useState<Target | null>(null);
  useLayoutEffect(() => {
    if (focus.current < 0) return;
    list.current?.querySelectorAll<HTMLElement>(".card-handle")[focus.current]?.focus();
    focus.current = -1;
  });
  useEffect(() => setRemoved(null), [editing]);

  const move = (from: number, to: number) => {
    to = Math.max(0, Math.min(cards.length - 1, to));
    if (from === to) return;
    const moved = cards.filter((_, i) => i !== from);
    moved.splice(to, 0, cards[from]);
    focus.current = to;
    setSaid(text.moved(titleOf(cards[from]), to + 1, cards.length));
    onChange(moved);
  };
  const resize = (at: number, width: number) => {
    setSaid(text.resized(titleOf(cards[at]), width));
    onChange(cards.map((c, i) => (i === at ? { ...c, width } : c)));
  };
  const remove = (at: number) => {
    setRemoved({ card: cards[at], index: at });
    setSaid(text.removed(titleOf(cards[at])));
    focus.current = Math.min(at, cards.length - 2);
    onChange(cards.filter((_, i) => i !== at));
  };
  const undo = () => {
    if (!removed) return;
    setSaid(text.restored(titleOf(removed.card)));
    focus.current = removed.index;
    onChange([...cards.slice(0, removed.index), removed.card, ...cards.slice(removed.index)]);
    setRemoved(null);
  };

  // drag follows the pointer from a handle until it is released. The card is moved then, because cards
  // that make room while it is over them would move away from the pointer.
  const drag = (from: number, e: PointerEvent) => {
    if (e.button !== 0) return;
    e.preventDefault();
    const handle = e.currentTarget as HTMLElement;
    handle.focus();
    handle.setPointerCapture(e.pointerId);
    let at: Target | null = null;
    const follow = (e: PointerEvent) => {
      at = targetAt(list.current!, e, from);
      setDragged(from);
      setTarget(at);
    };
    const drop = (e: PointerEvent) => {
      handle.removeEventListener("pointermove", follow);
      handle.removeEventListener("pointerup", drop);
      handle.removeEventListener("pointercancel", drop);
      setDragged(-1);
      setTarget(null);
      if (!at || e.type === "pointercancel") return;
      const to = at.index + (at.after ? 1 : 0);
      move(from, to > from ? to - 1 : to);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("pointerup", drop);
    handle.addEventListener("pointercancel", drop);
  };

  return (
    <>
      {editing && removed && (
        <div class="notice spread spaced" role="status">
          <span>{text.removed(titleOf(removed.card))}</span>
          <button type="button" class="button small" onClick={undo}>
            <Icon name="undo" />
            {common.actions.undo}
          </button>
        </div>
      )}
      <p class="sr" role="status" aria-live="polite">
        {said}
      </p>
      <ol ref={list} class={`dashboard ${editing ? "editing" : ""}`} aria-label={dashboards.page.grid}>
        {cards.map((card, i) => (
          <li
            key={keyOf(card, i)}
            class={`dash-card ${dragged === i ? "dragged" : ""} ${target?.index === i ? (target.after ? "drop-after" : "drop-before") : ""}`}
            style={{ "--width": card.width, "--height": heightOf(card, card.width), "--narrow-height": heightOf(card, 1) }}
          >
            <LoadedCard card={card} state={state} days={wall || editing ? undefined : days} />
            {editing && (
              <div class="card-tools" role="group" aria-label={titleOf(card)}>
                <button
                  type="button"
                  class="button quiet small card-handle"
                  aria-label={text.move(titleOf(card))}
                  title={text.moveHint}
                  aria-keyshortcuts="ArrowLeft ArrowRight ArrowUp ArrowDown Home End"
                  onPointerDown={(e) => drag(i, e)}
                  onKeyDown={(e) => {
                    const to = { ArrowLeft: i - 1, ArrowUp: i - 1, ArrowRight: i + 1, ArrowDown: i + 1, Home: 0, End: cards.length - 1 }[e.key];
                    if (to === undefined) return;
                    e.preventDefault();
                    move(i, to);
                  }}
                >
                  <Icon name="grip" />
                </button>
                <button type="button" class="button quiet small wide-only" aria-label={text.narrower(titleOf(card))} title={text.narrower(titleOf(card))} disabled={card.width <= 1} onClick={() => resize(i, card.width - 1)}>
                  <Icon name="minus" />
                </button>
                <button type="button" class="button quiet small wide-only" aria-label={text.wider(titleOf(card))} title={text.wider(titleOf(card))} disabled={card.width >= columns} onClick={() => resize(i, card.width + 1)}>
                  <Icon name="plus" />
                </button>
                <button type="button" class="button quiet small" aria-label={text.edit(titleOf(card))} title={text.edit(titleOf(card))} onClick={() => onEdit(card)}>
                  <Icon name="edit" />
                </button>
                <button type="button" class="button quiet small" aria-label={text.remove(titleOf(card))} title={text.remove(titleOf(card))} onClick={() => remove(i)}>
                  <Icon name="trash" />
                </button>
              </div>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

// targetAt returns the place that the pointer is over, or null if it is not over another card.
function targetAt(list: HTMLElement, e: PointerEvent, from: number): Target | null {
  const items = [...list.children] as HTMLElement[];
  const index = items.findIndex((item) => {
    const box = item.getBoundingClientRect();
    return e.clientX >= box.left && e.clientX <= box.right && e.clientY >= box.top && e.clientY <= box.bottom;
  });
  if (index < 0 || index === from) return null;
  const box = items[index].getBoundingClientRect();
  const stacked = box.width > list.clientWidth * 0.75;
  return { index, after: stacked ? e.clientY > box.top + box.height / 2 : e.clientX > box.left + box.width / 2 };
}

const noData: CardData = { overview: null, topics: null, posts: null, comparison: null, incidents: null, removed: false };

// LoadedCard shows a card, a placeholder of the same size while it is loading, or an error. A card with
// an error keeps the data that it had. Without days, it has no links.
function LoadedCard({ card, state, days }: { card: ShownCard; state: CardsState; days?: Days }) {
  const { item, error } = state.of(card);
  const href = days && hrefOf(card, days);
  const title = titleOf(card);
  const tools = href && (
    <Link class="button quiet small" href={href} aria-label={text.open(title)} title={text.open(title)}>
      <Icon name="out" />
    </Link>
  );
  if (card.kind === "text" || card.removed || item) return <CardView card={card} data={item ?? noData} days={days} tools={tools} />;
  return (
    <CardFrame card={card} tools={tools}>
      <Card class="fill">{error ? <ErrorNotice error={error} retry={state.reload} /> : <Skeleton height="100%" label={dashboards.page.counting(title)} />}</Card>
    </CardFrame>
  );
}
