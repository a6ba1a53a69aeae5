import { useState } from "preact/hooks";
import { get, post } from "../../lib/api";
import { dateTime, timeAgo } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import { Link, sameOriginPath } from "../../lib/router";
import type { Channel, Delivery, DeliveryState, Page } from "../../lib/types";
import { ErrorNotice, Skeleton } from "../../components/basics";
import { Dialog } from "../../components/dialog";
import { Rows } from "../../components/table";
import { showError, toast } from "../../components/toast";
import { sentence } from "./state";
import { channels as text } from "../../strings/channels";

const refresh = 3000; // milliseconds
const finishedKept = 200; // per channel, by the server

const tones: Record<DeliveryState, string> = { waiting: "accent", sending: "accent", sent: "good", failed: "bad", interrupted: "warn", summarized: "" };

// DeliveryLog lists what was sent to a channel, the newest first, and follows messages on their way.
export function DeliveryLog({ channel: c, onClose, onChanged }: { channel: Channel; onClose: () => void; onChanged: () => void }) {
  const { data, error, reload } = useLoad(`deliveries ${c.id}`, () => get<Page<Delivery>>(`/manage/v1/channels/${c.id}/deliveries`, { limit: 300 }));
  const [busy, setBusy] = useState(0);
  useInterval(refresh, reload);
  const retry = async (d: Delivery) => {
    setBusy(d.id);
    try {
      await post(`/manage/v1/deliveries/${d.id}/retry`);
      toast(text.retried);
      reload();
      onChanged();
    } catch (err) {
      showError(err);
    }
    setBusy(0);
  };
  const { logColumns: columns } = text;
  return (
    <Dialog title={text.logOf(c.name)} onClose={onClose} wide>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="12rem" />}
      {data && data.items.length === 0 && <p class="muted">{text.logEmpty}</p>}
      {data && data.items.length > 0 && (
        <div class="stack tight">
          <p class="small muted">{text.logNote(finishedKept)}</p>
          <Rows head={[columns.message, columns.created, columns.state, <span class="sr">{columns.actions}</span>]} label={text.logOf(c.name)} stacked>
            {data.items.map((d) => (
              <tr key={d.id}>
                <td class="break">
                  {d.path ? <Link href={sameOriginPath(d.path)}>{d.title}</Link> : d.title}
                  <span class="small muted"> · {text.events[d.event] ?? d.event}</span>
                </td>
                <td>{dateTime(d.created)}</td>
                <td>
                  <DeliveryOutcome delivery={d} />
                </td>
                <td class="right">
                  {(d.state === "failed" || d.state === "interrupted" || (d.state === "waiting" && d.attempts > 0)) && (
                    <button type="button" class="button small" aria-label={text.retryOf(d.title)} disabled={busy === d.id} onClick={() => retry(d)}>
                      {text.retry}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </Rows>
        </div>
      )}
    </Dialog>
  );
}

// DeliveryOutcome says where a delivery stands: how often it was tried, what went wrong, and when it is
// tried again.
function DeliveryOutcome({ delivery: d }: { delivery: Delivery }) {
  return (
    <div class="stack tight">
      <span class="row">
        <span class={`badge ${tones[d.state]}`}>{text.states[d.state]}</span>
        <span class="small muted">{d.state === "sent" && d.finished ? timeAgo(d.finished) : d.attempts > 0 ? text.attempts(d.attempts) : ""}</span>
      </span>
      {d.state === "interrupted" && <span class="small muted">{text.interrupted}</span>}
      {d.error && d.state !== "sent" && <span class="small bad break">{sentence(d.error)}</span>}
      {d.state === "waiting" && d.attempts > 0 && d.next && <span class="small muted">{text.next(dateTime(d.next))}</span>}
    </div>
  );
}
