import { get } from "../../lib/api";
import type { Request } from "./request";

interface Part {
  proportion: number;
  count: number;
}

export interface Affinity {
  affinity: string;
  localCount: number;
  localPercentage: number;
  twitterPercentage: number;
  segmentName: string;
  relevance: number;
}

// Told is what an analysis found out: the kinds that were asked for.
export interface Told {
  sentiment?: Record<string, Part>;
  volume?: Record<string, number>;
  emotion?: Record<string, Part>;
  gender?: Record<string, number>;
  age?: Record<string, number>;
  ethnicity?: Record<string, number>;
  location?: { totalVolume: number; data: { info: { id: string; name: string }; volume: number; perMillion: number }[] };
  source?: Record<string, number>;
  affinity?: Affinity[];
  reach?: number;
}

export type State = "DONE" | "WAITING" | "SKIPPED";

export interface Answer {
  resultId: number;
  status: State;
  analysis?: Told;
  retrieveAtMillis?: number; // of a waiting one: when to ask again
  message?: string; // of a skipped one: why
  request: Request;
}

// An Asked is one of the user's own requests, without its answer.
export interface Asked {
  id: number;
  state: State;
  created: string;
  request: Request;
  posts: number | null;
  attempt: number;
  due: string | null;
}

export const stateNames: Record<State, string> = { DONE: "Done", WAITING: "Waiting", SKIPPED: "Given up" };
export const stateTones: Record<State, string> = { DONE: "good", WAITING: "warn", SKIPPED: "bad" };

export const loadAnswer = (id: string) => get<Answer>(`/api/results/${id}`);

// loadAsked returns what is known of one of the user's own requests of late.
export async function loadAsked(id: string): Promise<Asked | undefined> {
  const { items } = await get<{ items: Asked[] }>("/manage/v1/analyses", { limit: 100 });
  return items.find((a) => String(a.id) === id);
}
