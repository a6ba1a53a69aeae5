// Live sources: connections to networks from which the server collects posts.
import { get, listAll } from "./api";
import { hasPermission } from "./session";
import type { SessionUser, Source, SourceKind } from "./types";

// rulesSetting is the setting that holds the version of the rules that a person has accepted.
export const rulesSetting = "accepted_rules";

export const loadSources = (team?: number) => listAll<Source>("/manage/v1/sources", { team });
export const loadSource = (id: string | number, signal?: AbortSignal) => get<Source>(`/manage/v1/sources/${id}`, {}, signal);

let kinds: Promise<SourceKind[]> | null = null;

// loadKinds returns the kinds of sources. They do not change while the server runs, so they are
// loaded once.
export function loadKinds(): Promise<SourceKind[]> {
  if (!kinds) {
    kinds = get<{ items: SourceKind[] }>("/manage/v1/source-kinds").then((r) => r.items);
    kinds.catch(() => (kinds = null));
  }
  return kinds;
}

// recentActivity returns the posts per minute of the last hour, or of the last ten minutes or more
// since a new source was added.
export function recentActivity(s: Source): number[] {
  const age = (Date.now() - new Date(s.created).getTime()) / 60_000;
  return s.activity.slice(-Math.max(10, Math.min(60, Math.ceil(age) + 1)));
}

// mayManage reports whether a user may add and change sources.
export const mayManage = (user: SessionUser) => hasPermission(user, "content");
