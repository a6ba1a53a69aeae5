import { urlOf, ApiError, get } from "../../lib/api";
import type { StreamPost } from "../../lib/types";
import { streams } from "../../strings/streams";

// A Delivery is a post of one monitor, with the cursor after it.
export type Delivery = StreamPost & { cursor: string };

// isBefore reports whether a cursor is before another one. A cursor like 17-3 consists of the number
// of a message and a position in it.
export function isBefore(a: string, b: string): boolean {
  const [[message, index], [otherMessage, otherIndex]] = [a, b].map((cursor) => cursor.split("-").map(Number));
  return message < otherMessage || (message === otherMessage && index < otherIndex);
}

export interface Connection {
  state: "connecting" | "live" | "reconnecting" | "ended";
  message?: string; // why it ended, or why it is reconnecting
}

const retryAfter = 3000; // milliseconds

// listen receives the posts of a stream as server-sent events until the returned function is
// called. The browser reconnects automatically when the connection is lost. An EventSource does not
// expose the response when the server refuses the connection, so refusal requests the reason.
export function listen(id: string, cursor: string | undefined, onPost: (d: Delivery) => void, onChange: (c: Connection) => void): () => void {
  let source: EventSource | undefined;
  let from = cursor;
  let timer = 0;
  let stopped = false;
  const open = () => {
    source = new EventSource(urlOf(`/manage/v1/streams/${id}/events`, { cursor: from }));
    source.onopen = () => onChange({ state: "live" });
    source.addEventListener("post", (e) => {
      from = e.lastEventId;
      onPost({ ...JSON.parse(e.data), cursor: e.lastEventId });
    });
    source.onerror = () => {
      if (source!.readyState === EventSource.CLOSED) refused();
      else onChange({ state: "reconnecting" });
    };
  };
  const refused = async () => {
    onChange({ state: "reconnecting" });
    const why = await refusal(id, from);
    if (stopped) return;
    if (why && why.status >= 400 && why.status < 500 && why.status !== 429) return onChange({ state: "ended", message: why.message });
    if (why) onChange({ state: "reconnecting", message: why.message });
    timer = window.setTimeout(open, retryAfter);
  };
  onChange({ state: "connecting" });
  open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    source?.close();
  };
}

// refusal returns the error with which the server refuses the stream, or null if it accepts it now.
async function refusal(id: string, cursor: string | undefined): Promise<ApiError | null> {
  const control = new AbortController();
  try {
    await get(`/manage/v1/streams/${id}`);
    const response = await fetch(urlOf(`/manage/v1/streams/${id}/events`, { cursor }), { signal: control.signal });
    if (response.ok) return null;
    const body = (await response.json().catch(() => ({}))) as { message?: string };
    return new ApiError(response.status, body.message ?? `${response.status} ${response.statusText}`);
  } catch (err) {
    return err instanceof ApiError ? err : new ApiError(0, streams.unreachable);
  } finally {
    control.abort();
  }
}
