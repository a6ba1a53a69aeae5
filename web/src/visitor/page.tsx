import { useEffect, useState } from "preact/hooks";
import { ApiError, get, post } from "../lib/api";
import { dateRange, dateTime } from "../lib/format";
import { useLoad } from "../lib/load";
import type { CardData, SharedPage, ShownCard } from "../lib/types";
import { Card, ErrorNotice, Notice, Skeleton, TextField } from "../components/basics";
import { heightOf, titleOf } from "../components/cards/card";
import { CardFrame, CardView } from "../components/cards/cardview";
import { Logo } from "../components/icon";
import { cards as cardText } from "../strings/cards";
import { common } from "../strings/common";
import { share } from "../strings/share";

const text = share.visitor;

// SharedPageView shows what a share link shows, or asks for its password, or says that the link is not
// valid.
export function SharedPageView({ token }: { token: string }) {
  const path = `/share/v1/${encodeURIComponent(token)}`;
  const { data, error, reload } = useLoad(token ? path : null, () => get<SharedPage>(path));
  const status = error instanceof ApiError ? error.status : 0;
  useEffect(() => {
    document.title = data && !error ? data.name : text.documentTitle;
  }, [data, error]);
  if (!token || status === 404) return <NotValid />;
  if (status === 401) return <PasswordForm path={path} onUnlocked={reload} />;
  if (error) {
    return (
      <main class="visitor">
        <ErrorNotice error={error} retry={reload} />
      </main>
    );
  }
  if (!data) {
    return (
      <main class="visitor">
        <Skeleton height="30rem" />
      </main>
    );
  }
  return <Cards path={path} page={data} onRefused={reload} />;
}

function NotValid() {
  return (
    <main class="signin">
      <div class="empty">
        <h1>{text.notValid}</h1>
        <p>{text.notValidText}</p>
      </div>
    </main>
  );
}

// PasswordForm asks for the password of a link. The server then sets a cookie for this link.
function PasswordForm({ path, onUnlocked }: { path: string; onUnlocked: () => void }) {
  const [password, setPassword] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      await post(`${path}/unlock`, { password });
      onUnlocked();
    } catch (err) {
      setError((err as Error).message);
      if (err instanceof ApiError && err.status === 404) onUnlocked();
    }
    setBusy(false);
  };
  return (
    <main class="signin">
      <form class="card stack" onSubmit={submit}>
        <h1>{text.locked}</h1>
        <p class="muted">{text.lockedText}</p>
        {error && <Notice kind="bad">{error}</Notice>}
        <TextField label={text.password} type="password" value={password} onInput={setPassword} autocomplete="off" required />
        <button type="submit" class="button primary" disabled={busy || !password}>
          {busy ? common.pleaseWait : text.unlock}
        </button>
      </form>
    </main>
  );
}

// onlyOne returns the value that all cards have, or "" if they have different ones.
function onlyOne(cards: ShownCard[], valueOf: (card: ShownCard) => string): string {
  const values = new Set(cards.map(valueOf));
  return values.size === 1 ? [...values][0] : "";
}

const monitorOf = (card: ShownCard) => (card.filterName ? cardText.saved(card.monitorName, card.filterName) : card.monitorName);

// withoutCommon returns the monitor and the dates that all cards of a page have in common, to show
// them once, and the cards without them.
function withoutCommon(page: SharedPage): { lead: string; cards: ShownCard[] } {
  const monitor = onlyOne(page.cards, monitorOf);
  const days = page.range ? "" : onlyOne(page.cards, (c) => c.start && dateRange(c.start, c.end));
  const cards = page.cards.map((c) => ({ ...c, ...(monitor && { monitorName: "", filterName: "" }), ...(days && { start: "", end: "" }) }));
  const dates = page.range ? common.dateRange.rolling[page.range] : days;
  return { lead: [monitor !== page.name && monitor, dates].filter(Boolean).join(" · "), cards };
}

function Cards({ path, page, onRefused }: { path: string; page: SharedPage; onRefused: () => void }) {
  const { lead, cards } = withoutCommon(page);
  return (
    <div class="visitor">
      <header class="page-head">
        <div class="grow">
          <h1>{page.name}</h1>
          {lead && <div class="lead">{lead}</div>}
        </div>
        <div class="row">
          <a class="button" href={`${path}/report?format=pdf`} download>
            {text.pdf}
          </a>
          <button type="button" class="button" onClick={() => window.print()}>
            {text.print}
          </button>
        </div>
      </header>
      <main>
        {page.cards.length === 0 && <p class="muted">{text.empty}</p>}
        <ol class="dashboard" aria-label={text.cards}>
          {cards.map((card) => (
            <li key={card.id} class="dash-card" style={{ "--width": card.width, "--height": heightOf(card, card.width), "--narrow-height": heightOf(card, 1) }}>
              <LoadedCard path={path} card={card} onRefused={onRefused} />
            </li>
          ))}
        </ol>
      </main>
      <footer class="visitor-foot muted small">
        <span class="row">
          <Logo />
          {text.sharedWith}
        </span>
        {page.expires && <span>{text.until(dateTime(page.expires))}</span>}
      </footer>
    </div>
  );
}

const noData: CardData = { overview: null, topics: null, posts: null, comparison: null, incidents: null, removed: false };

// LoadedCard loads and shows a card. If the link no longer works, or the card no longer exists, it
// tells the page.
function LoadedCard({ path, card, onRefused }: { path: string; card: ShownCard; onRefused: () => void }) {
  const needed = card.kind !== "text" && !card.removed;
  const { data, error, reload } = useLoad(needed ? `${path}/cards/${card.id}` : null, (signal) => get<CardData>(`${path}/cards/${card.id}`, undefined, signal));
  const refused = error instanceof ApiError && (error.status === 401 || error.status === 404);
  useEffect(() => {
    if (refused) onRefused();
  }, [refused]);
  if (data || !needed) return <CardView card={card} data={data ?? noData} />;
  return (
    <CardFrame card={card}>
      <Card class="fill">{error ? <ErrorNotice error={error} retry={reload} /> : <Skeleton height="100%" label={text.counting(titleOf(card))} />}</Card>
    </CardFrame>
  );
}
