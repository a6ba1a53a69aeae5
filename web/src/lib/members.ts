// The members of teams and their tags, which several menus offer.
import { get, listAll } from "./api";
import type { Member, Monitor, Page, Tag } from "./types";

// A MarkedIn is the monitor in which a post is shown, and its team. The team is loaded when it is
// needed if the page does not know it.
export interface MarkedIn {
  id: string; // of the monitor, or of one of its filters
  team?: number;
}

const members = new Map<number, Promise<Member[]>>();
let tags = new Map<number, Promise<Tag[]>>();

// remember returns the value of a key, and loads it if it is not known. It forgets failures.
function remember<T>(cache: Map<number, Promise<T>>, key: number, load: () => Promise<T>): Promise<T> {
  let value = cache.get(key);
  if (!value) {
    value = load();
    value.catch(() => cache.delete(key));
    cache.set(key, value);
  }
  return value;
}

// membersOf returns the people to whom members of a team can assign posts, by name.
export const membersOf = (team: number) => remember(members, team, async () => (await listAll<Member>(`/manage/v1/teams/${team}/members`)).sort((a, b) => a.name.localeCompare(b.name)));

// tagsOf returns the tags of a team by name.
export const tagsOf = (team: number) => remember(tags, team, async () => (await get<Page<Tag>>(`/manage/v1/teams/${team}/tags`)).items);

// clearTags forgets the tags. Call it when posts get other tags.
export const clearTags = () => void (tags = new Map());

// teamOf returns the team of the monitor in which a post is shown.
export async function teamOf(where: MarkedIn): Promise<number> {
  return where.team ?? (await get<Monitor>(`/manage/v1/monitors/${where.id}`)).team;
}
