import { useState } from "preact/hooks";
import { call, post } from "../../lib/api";
import { dateTime } from "../../lib/format";
import { useUser } from "../../lib/session";
import type { SignalEvent, SignalPage } from "../../lib/types";
import { Card, Field } from "../../components/basics";
import { Icon, type IconName } from "../../components/icon";
import { showError } from "../../components/toast";
import { common } from "../../strings/common";
import { signals } from "../../strings/signals";

const text = signals.detail;

const icons: Record<string, IconName> = { raised: "bell", updated: "monitor", resolved: "check", acknowledged: "check", assigned: "person", comment: "memo" };

// History lists what happened to a signal and what people wrote about it, oldest first, and lets them
// write more.
export function History({ s, onChanged }: { s: SignalPage; onChanged: (s: SignalPage) => void }) {
  const user = useUser();
  const entries = [
    ...s.events.map((e) => ({ key: `event ${e.number}`, time: e.time, event: e, comment: undefined })),
    ...s.comments.map((c) => ({ key: `comment ${c.id}`, time: c.time, event: undefined, comment: c })),
  ].sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
  const drop = async (id: number) => {
    try {
      onChanged(await call<SignalPage>("DELETE", `/manage/v1/signals/${s.id}/comments/${id}`));
    } catch (err) {
      showError(err);
    }
  };
  return (
    <Card title={text.history}>
      <div class="stack">
        <ol class="signal-history">
          {entries.map(({ key, time, event, comment }) => (
            <li key={key}>
              <Icon name={icons[event?.kind ?? "comment"]} />
              <div class="grow">
                {event && <EventText s={s} e={event} />}
                {comment && <p class="break comment-text">{comment.text}</p>}
                <p class="small muted">
                  {dateTime(time, s.timezone)} {(event?.by || comment?.by) && text.by((event?.by || comment?.by)!)}
                </p>
              </div>
              {comment && (comment.by === user.username || user.admin) && (
                <button type="button" class="button quiet tiny" aria-label={common.deleteItem(comment.text)} title={common.actions.delete} onClick={() => drop(comment.id)}>
                  <Icon name="trash" />
                </button>
              )}
            </li>
          ))}
        </ol>
        <CommentForm s={s} onChanged={onChanged} />
      </div>
    </Card>
  );
}

function EventText({ s, e }: { s: SignalPage; e: SignalEvent }) {
  if (e.kind === "assigned") return <p>{text.assignedTo(e.assignee)}</p>;
  return (
    <p>
      {text.events[e.kind]}
      {e.observed !== null && e.kind !== "resolved" && <span class="num">: {signals.observed(s.metric, e.observed)}</span>}
    </p>
  );
}

function CommentForm({ s, onChanged }: { s: SignalPage; onChanged: (s: SignalPage) => void }) {
  const [words, setWords] = useState("");
  const [busy, setBusy] = useState(false);
  const add = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    try {
      onChanged(await post<SignalPage>(`/manage/v1/signals/${s.id}/comments`, { text: words.trim() }));
      setWords("");
    } catch (err) {
      showError(err);
    }
    setBusy(false);
  };
  return (
    <form class="stack tight" onSubmit={add}>
      <Field label={text.comment} hint={text.commentHint}>
        {(id, described) => <textarea id={id} rows={3} maxLength={1000} value={words} aria-describedby={described} onInput={(e) => setWords(e.currentTarget.value)} />}
      </Field>
      <div>
        <button type="submit" class="button" disabled={busy || !words.trim()}>
          {text.addComment}
        </button>
      </div>
    </form>
  );
}
