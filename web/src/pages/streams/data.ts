import { all, get, patch, post, put, remove } from "../../lib/api";
import type { Monitor, Stream, StreamQueue } from "../../lib/types";

export interface StreamsAndMonitors {
  streams: Stream[];
  monitors: Monitor[];
}

export async function loadStreams(): Promise<StreamsAndMonitors> {
  const [streams, monitors] = await Promise.all([all<Stream>("/manage/v1/streams"), all<Monitor>("/manage/v1/monitors")]);
  streams.sort((a, b) => a.name.localeCompare(b.name));
  return { streams, monitors };
}

// waiting returns how many posts nobody has taken from a stream yet.
export async function waiting(id: number | string): Promise<number> {
  return (await get<StreamQueue>(`/manage/v1/streams/${id}/queue`)).waiting;
}

export interface Wanted {
  name: string;
  team: number;
  monitors: number[];
}

// create makes a stream that has no monitors yet.
export const create = (wanted: Wanted) => post<Stream>("/manage/v1/streams", { name: wanted.name, team: wanted.team });

// change makes a stream what is wanted. What was done before a failure stays, and is not done again the next time.
export async function change(stream: Stream, wanted: Wanted): Promise<void> {
  const at = `/manage/v1/streams/${stream.id}`;
  if (stream.name !== wanted.name) await patch(at, { name: wanted.name });
  for (const id of wanted.monitors) if (!stream.monitors.includes(id)) await put(`${at}/monitors/${id}`);
  for (const id of stream.monitors) if (!wanted.monitors.includes(id)) await remove(`${at}/monitors/${id}`);
}
