import { useState } from "preact/hooks";
import { ApiError } from "../lib/api";
import { Link } from "../lib/router";
import type { Monitor } from "../lib/types";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { Cards } from "./label/cards";
import { useDeck } from "./label/deck";
import { Status } from "./label/status";
import { label as text } from "../strings/label";
import { overview } from "../strings/overview";
import { train } from "../strings/train";

// LabelPage shows random posts of a monitor, which people label. The labels calibrate its shares.
export function LabelPage({ id }: { id: string }) {
  return <MonitorLayout id={id}>{(m) => (m.type === "OPINION" && m.categories.length === 0 ? <NoCategories m={m} /> : <Labeling m={m} />)}</MonitorLayout>;
}

function NoCategories({ m }: { m: Monitor }) {
  return (
    <EmptyState title={train.noCategoriesTitle} actions={<Link class="button" href={`/monitors/${m.id}/edit`}>{train.goToSettings}</Link>}>
      {train.noCategoriesText}
    </EmptyState>
  );
}

// Untrained says that labels calibrate a model, which the monitor does not have yet.
function Untrained({ m, message }: { m: Monitor; message: string }) {
  return (
    <EmptyState title={text.untrainedTitle} actions={<Link class="button" href={`/monitors/${m.id}/train`}>{overview.sentiment.train}</Link>}>
      {message}. {text.untrainedText}
    </EmptyState>
  );
}

function Labeling({ m }: { m: Monitor }) {
  const deck = useDeck(String(m.id));
  const [emotions, setEmotions] = useState(() => localStorage.getItem("labelEmotions") === "on");
  const { labels } = deck;
  if (!labels && m.type === "OPINION" && deck.error instanceof ApiError && deck.error.status === 400) return <Untrained m={m} message={deck.error.message} />;
  if (!labels) return deck.error ? <ErrorNotice error={deck.error} retry={deck.retry} /> : <Skeleton height="20rem" />;
  const turnEmotions = (on: boolean) => {
    localStorage.setItem("labelEmotions", on ? "on" : "off");
    setEmotions(on);
  };
  return (
    <>
      <div class="label-head">
        <h2>{text.title}</h2>
        <p class="muted">{m.type === "OPINION" ? text.opinionLead : text.lead}</p>
      </div>
      <div class="columns">
        <div class="c8">
          <Cards m={m} deck={deck} emotions={emotions} />
        </div>
        <div class="c4 stack">
          <Status m={m} deck={deck} labels={labels} emotions={emotions} onEmotions={turnEmotions} />
        </div>
      </div>
    </>
  );
}
