// What the management interface tells administrators.

export interface FullTeam {
  id: number;
  name: string;
  monitorLimit: number;
}

export type Permission = "content" | "streams" | "admin";

export const permissions: { id: Permission; name: string; hint: string }[] = [
  { id: "content", name: "Own content", hint: "make content sources and upload documents" },
  { id: "streams", name: "Streams", hint: "read streams" },
  { id: "admin", name: "Administrator", hint: "everything, in all teams" },
];

export interface Account {
  id: number;
  username: string;
  email?: string;
  firstName?: string;
  lastName?: string;
  teams: number[];
  apiAccess: boolean;
  permissions: Permission[];
}

export interface Contract {
  documentsPerDay: number;
  queriesPerYear: number;
  periodStart?: string;
}

export interface Usage {
  queries: { used: number; limit: number; periodStart: string };
  documents: { today: number; limit: number };
}

export interface Status {
  version: { earshot: string; commit?: string; go: string };
  uptimeSeconds: number;
  pipeline: { position: number; last: number; lag: number; posts: number };
  store: { engine: string; posts: number; segments: number; bytes: number; setAside: { name: string; posts: number; since: string; reason: string }[] };
  streams: { lag: number; messages: number; bytes: number };
  disk: { used: number; free: number };
  memory: { heap: number; sys: number };
  deadLetters: { count: number; recent: { position: number; time: string; reason: string }[] };
}
