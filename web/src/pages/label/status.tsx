import { useState } from "preact/hooks";
import { get } from "../../lib/api";
import { categoryColor, shortCategory } from "../../lib/color";
import { dateRange, addDays, dateTime, percent, timeAgo } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { useUser } from "../../lib/session";
import { useDark } from "../../lib/theme";
import type { HighlightedPost, LabelDisagreement, LabeledShare, LabelSample, LabelsResponse, Monitor } from "../../lib/types";
import { Card, Checkbox, ErrorNotice, ProgressBar, Skeleton } from "../../components/basics";
import { Confirm, Dialog } from "../../components/dialog";
import { PostCard } from "../../components/postcard";
import { showError, toast } from "../../components/toast";
import { common } from "../../strings/common";
import { label as text } from "../../strings/label";
import { nameOf } from "./choices";
import type { Deck } from "./deck";

interface Props {
  m: Monitor;
  deck: Deck;
  labels: LabelsResponse;
}

// Status shows how far people are, and what the labels are worth.
export function Status({ m, deck, labels, emotions, onEmotions }: Props & { emotions: boolean; onEmotions: (on: boolean) => void }) {
  const dates = dateRange(labels.start, labels.end);
  return (
    <>
      {labels.posts > 0 && (
        <Card title={text.progress}>
          <div class="stack tight">
            <p>
              <strong class="num">{text.labeledOf(deck.labeled, labels.posts)}</strong> <span class="muted">{text.labeledByYou}</span>
            </p>
            <ProgressBar share={deck.labeled / labels.posts} label={text.labeledOf(deck.labeled, labels.posts)} />
            <Checkbox label={text.emotionsToo} checked={emotions} onChange={onEmotions} />
          </div>
        </Card>
      )}
      <Card title={text.shares} note={labels.labels ? text.calibrated(labels.labels, dates) : text.notCalibrated(dates)}>
        <Intervals shares={labels.categories} kind="category" label={m.type === "OPINION" ? common.words.categories : common.words.sentiment} />
        {emotions && <Intervals shares={labels.emotions} kind="emotion" label={common.words.emotions} />}
      </Card>
      {labels.advice.length > 0 && (
        <Card title={text.advice}>
          <ul class="stack tight advice">
            {labels.advice.map((a) => (
              <li key={a}>{a}</li>
            ))}
          </ul>
        </Card>
      )}
      {labels.people.length > 0 && <People m={m} deck={deck} labels={labels} />}
      {labels.samples.length > 0 && <Samples m={m} deck={deck} labels={labels} />}
    </>
  );
}

// Intervals shows shares with their intervals: a bar from the lower to the upper bound, and a line at
// the share.
function Intervals({ shares, kind, label }: { shares: LabeledShare[]; kind: "category" | "emotion"; label: string }) {
  const dark = useDark();
  return (
    <ul class="stack tight label-shares" aria-label={label}>
      {shares.map((s, i) => {
        const color = categoryColor(s.name, i, dark, kind);
        return (
          <li key={s.id}>
            <div class="spread">
              <span class="break">{shortCategory(s.name)}</span>
              <span class="num">{text.share(s.share, s)}</span>
            </div>
            <div class="interval" aria-hidden="true">
              <i style={{ left: percent(s.low), width: percent(s.high - s.low), background: `color-mix(in srgb, ${color} 45%, transparent)` }} />
              <b style={{ left: percent(s.share), background: color }} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}

// People shows who has labeled how many posts, and on which they disagree.
function People({ m, deck, labels }: Props) {
  const [opened, setOpened] = useState<LabelDisagreement>();
  return (
    <Card title={text.people}>
      <p>
        {labels.people.map((p) => text.person(p.name, p.labels, p.skipped)).join(", ")}
        {labels.compared > 0 && text.agreement(labels.agreed, labels.compared)}
      </p>
      {labels.disagreements.length > 0 && (
        <details class="small">
          <summary>{text.disagreements(labels.disagreements.length)}</summary>
          <ul class="stack tight">
            {labels.disagreements.map((d) => (
              <li key={d.post}>
                <button type="button" class="linklike" onClick={() => setOpened(d)}>
                  {saidOf(d, labels)}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
      {opened && <Disagreement m={m} deck={deck} labels={labels} of={opened} onClose={() => setOpened(undefined)} />}
    </Card>
  );
}

const saidOf = (d: LabelDisagreement, labels: LabelsResponse) => d.labels.map((l) => text.said(l.by, nameOf(l, labels))).join(" · ");

// Disagreement shows a post that people label differently. It can be labeled again.
function Disagreement({ m, deck, labels, of, onClose }: Props & { of: LabelDisagreement; onClose: () => void }) {
  const user = useUser();
  const { data, error, reload } = useLoad(`labeled post ${of.post}`, () => get<HighlightedPost>(`/manage/v1/monitors/${m.id}/posts/${of.post}`));
  const again = () => {
    deck.again({ post: data!, again: of.labels.some((l) => l.by === user.username) });
    onClose();
  };
  return (
    <Dialog
      title={text.disagreement}
      wide
      onClose={onClose}
      footer={
        <button type="button" class="button primary" disabled={!data} onClick={again}>
          {text.labelAgain}
        </button>
      }
    >
      <div class="stack">
        <p>{saidOf(of, labels)}</p>
        {error && <ErrorNotice error={error} retry={reload} />}
        {data ? <PostCard post={data} zone={m.timezone} scores={false} /> : !error && <Skeleton />}
      </div>
    </Dialog>
  );
}

// Samples lists the samples. They can be removed.
function Samples({ m, deck, labels }: Props) {
  const [removing, setRemoving] = useState<LabelSample>();
  const [busy, setBusy] = useState(false);
  const drawMore = async () => {
    setBusy(true);
    await deck.draw(50).catch(showError);
    setBusy(false);
  };
  const datesOf = (s: LabelSample) => {
    const [start, end] = [s.start, s.end].map((time) => dateIn(time, m.timezone));
    return dateRange(start, end > start ? end : addDays(start, 1));
  };
  return (
    <Card title={text.samples}>
      <ul class="rows">
        {labels.samples.map((s) => (
          <li key={s.id} class="spread">
            <span class="stack" style={{ gap: 0 }}>
              <span>
                {text.sample(s.labeled, s.posts, s.of)} {s.outdated && <span class="badge warn">{text.outdated}</span>}
              </span>
              <span class="small muted" title={dateTime(s.time)}>
                {text.drawn(datesOf(s), s.by, timeAgo(s.time))}
              </span>
            </span>
            <button type="button" class="button small" aria-label={text.removeSample(datesOf(s))} onClick={() => setRemoving(s)}>
              {common.actions.remove}
            </button>
          </li>
        ))}
      </ul>
      {!deck.empty && (
        <button type="button" class="linklike small" disabled={busy} onClick={drawMore}>
          {text.drawMore(50)}
        </button>
      )}
      {removing && (
        <Confirm
          title={text.removeTitle}
          action={common.actions.remove}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await deck.removeSample(removing.id);
            toast(text.removed);
          }}
        >
          {text.removeText(removing.labeled)}
        </Confirm>
      )}
    </Card>
  );
}

// dateIn returns the date of an instant in a time zone.
const dateIn = (instant: string, zone: string) => new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(new Date(instant));
