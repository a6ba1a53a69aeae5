import { useState } from "preact/hooks";
import { Link } from "../lib/router";
import type { Monitor } from "../lib/types";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { Cards } from "./label/cards";
import { useDeck } from "./label/deck";
import { Status } from "./label/status";
import { label as text } from "../strings/label";
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

function Labeling({ m }: { m: Monitor }) {
  const deck = useDeck(String(m.id));
  const [emotions, setEmotions] = useState(() => localStorage.getItem("labelEmotions") === "on");
  const { labels } = deck;
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
