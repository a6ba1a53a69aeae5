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

// queueLength returns how many posts nobody has taken from a stream yet.
export async function queueLength(id: number | string): Promise<number> {
  return (await get<StreamQueue>(`/manage/v1/streams/${id}/queue`)).waiting;
}

export interface StreamDraft {
  name: string;
  team: number;
  monitors: number[];
}

// createStream makes a stream that has no monitors yet.
export const createStream = (draft: StreamDraft) => post<Stream>("/manage/v1/streams", { name: draft.name, team: draft.team });

// updateStream makes a stream what is wanted. What was done before a failure stays, and is not done again the next time.
export async function updateStream(stream: Stream, draft: StreamDraft): Promise<void> {
  const path = `/manage/v1/streams/${stream.id}`;
  if (stream.name !== draft.name) await patch(path, { name: draft.name });
  for (const id of draft.monitors) if (!stream.monitors.includes(id)) await put(`${path}/monitors/${id}`);
  for (const id of stream.monitors) if (!draft.monitors.includes(id)) await remove(`${path}/monitors/${id}`);
}
