import { get } from "./api";
import type { ChoicesResponse, Place, PlacesResponse } from "./types";
import type { Choosable } from "../parts/picker";

const loaded = new Map<string, Promise<ChoicesResponse>>();

// choices returns those of a team, 0 for all teams of the user. They are asked for once.
export function choices(team = 0): Promise<ChoicesResponse> {
  const key = String(team);
  let answer = loaded.get(key);
  if (!answer) {
    answer = get<ChoicesResponse>("/manage/v1/choices", { team: team || undefined });
    answer.catch(() => loaded.delete(key));
    loaded.set(key, answer);
  }
  return answer;
}

// forgetChoices is called when there is something new to choose, such as a content source.
export const forgetChoices = () => loaded.clear();

const asChoice = (p: Place): Choosable => ({ id: p.id, name: p.name, note: p.kind === "country" ? "Country" : p.country });

// findPlaces returns the places whose names begin so, and placeNames those that have ids.
export async function findPlaces(text: string): Promise<Choosable[]> {
  return (await get<PlacesResponse>("/manage/v1/places", { q: text, limit: 20 })).items.map(asChoice);
}
export async function placeNames(ids: string[]): Promise<Choosable[]> {
  if (!ids.length) return [];
  const found = await get<PlacesResponse>("/manage/v1/places", { ids: ids.join(";") });
  return ids.map((id) => {
    const p = found.items.find((x) => x.id === id);
    return p ? asChoice(p) : { id, name: id };
  });
}
