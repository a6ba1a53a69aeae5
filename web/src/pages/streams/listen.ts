import { urlOf, ApiError, get } from "../../lib/api";
import type { StreamPost } from "../../lib/types";

// A ReceivedPost is a post of the stream with its position there.
export type ReceivedPost = StreamPost & { key: string };

export interface Connection {
  state: "connecting" | "live" | "reconnecting" | "ended";
  message?: string; // why it ended, or what is wrong at the moment
}

const retryAfter = 3000; // milliseconds

// listen has the posts of a stream pushed, until the result is called. The browser connects again by itself when the connection
// is lost; when the server refuses that, we ask why.
export function listen(id: string, cursor: string | undefined, onPost: (p: ReceivedPost) => void, onChange: (c: Connection) => void): () => void {
  let source: EventSource | undefined;
  let from = cursor;
  let timer = 0;
  let stopped = false;
  const open = () => {
    source = new EventSource(urlOf(`/manage/v1/streams/${id}/events`, { cursor: from }));
    source.onopen = () => onChange({ state: "live" });
    source.addEventListener("post", (e) => {
      from = e.lastEventId;
      onPost({ ...JSON.parse(e.data), key: e.lastEventId });
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

// refusal returns what the server has against listening, null when there is nothing any more.
async function refusal(id: string, cursor: string | undefined): Promise<ApiError | null> {
  const control = new AbortController();
  try {
    await get(`/manage/v1/streams/${id}`);
    const response = await fetch(urlOf(`/manage/v1/streams/${id}/events`, { cursor }), { signal: control.signal });
    if (response.ok) return null;
    const body = (await response.json().catch(() => ({}))) as { message?: string };
    return new ApiError(response.status, body.message ?? `${response.status} ${response.statusText}`);
  } catch (err) {
    return err instanceof ApiError ? err : new ApiError(0, "The server cannot be reached.");
  } finally {
    control.abort();
  }
}
