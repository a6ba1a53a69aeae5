// New cards, and dashboards to start with.
import type { CardKind, Monitor, ShownCard } from "../../lib/types";

// newCard returns a card about a monitor or one of its saved filters.
export function newCard(kind: CardKind, more: Partial<ShownCard> = {}): ShownCard {
  return { id: 0, kind, title: "", width: 2, monitor: 0, filter: "", range: "", start: "", end: "", sort: "", rows: [], earlier: "none", text: "", monitorName: "", parent: 0, filterName: "", removed: false, ...more };
}

// monitorCards returns the cards of a new dashboard about a monitor.
export function monitorCards(m: Monitor): ShownCard[] {
  const card = (kind: CardKind, width: number, more: Partial<ShownCard> = {}) => newCard(kind, { monitor: m.id, width, ...more });
  return [
    card("figures", 4),
    card("volume", 3),
    card("unusual", 1),
    card("sentiment", 2),
    card("posts", 2, { sort: "engagement" }),
    card("topics", 2),
    card("words", 2),
    card("sources", 1),
    card("languages", 1),
    card("authors", 1),
    card("hashtags", 1),
  ];
}
