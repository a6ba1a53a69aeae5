import type { Permission } from "../../lib/types";

export const permissions: { id: Permission; name: string; hint: string }[] = [
  { id: "content", name: "Own content", hint: "make content sources and upload documents" },
  { id: "streams", name: "Streams", hint: "read streams" },
  { id: "admin", name: "Administrator", hint: "everything, in all teams" },
];
