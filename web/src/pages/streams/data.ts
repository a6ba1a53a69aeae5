import { listAll, get, patch, post, put, remove } from "../../lib/api";
import type { Monitor, Stream, StreamQueue } from "../../lib/types";

export interface StreamsAndMonitors {
  streams: Stream[];
  monitors: Monitor[];
}

export async function loadStreams(): Promise<StreamsAndMonitors> {
  const [streams, monitors] = await Promise.all([listAll<Stream>("/manage/v1/streams"), listAll<Monitor>("/manage/v1/monitors")]);
  streams.sort((a, b) => a.name.localeCompare(b.name));
  return { streams, monitors };
}

// loadQueue returns the state of the queue of a stream: the posts that no API client has read yet.
export const loadQueue = (id: number | string) => get<StreamQueue>(`/manage/v1/streams/${id}/queue`);

export interface StreamDraft {
  name: string;
  team: number;
  monitors: number[];
}

// createStream creates a stream without monitors.
export const createStream = (draft: StreamDraft) => post<Stream>("/manage/v1/streams", { name: draft.name, team: draft.team });

// updateStream changes the name and the monitors of a stream to those of the draft, with one request
// per change. It records each change in stream, so that a retry after a failure repeats none of
// them.
export async function updateStream(stream: Stream, draft: StreamDraft): Promise<void> {
  const path = `/manage/v1/streams/${stream.id}`;
  if (stream.name !== draft.name) {
    await patch(path, { name: draft.name });
    stream.name = draft.name;
  }
  for (const id of draft.monitors.filter((m) => !stream.monitors.includes(m))) {
    await put(`${path}/monitors/${id}`);
    stream.monitors = [...stream.monitors, id];
  }
  for (const id of stream.monitors.filter((m) => !draft.monitors.includes(m))) {
    await remove(`${path}/monitors/${id}`);
    stream.monitors = stream.monitors.filter((m) => m !== id);
  }
}
