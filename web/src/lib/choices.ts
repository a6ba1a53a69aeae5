import { get } from "./api";
import type { ChoicesResponse, Place, PlacesResponse } from "./types";
import type { PickerOption } from "../components/picker";

const cache = new Map<string, Promise<ChoicesResponse>>();

// choices returns those of a team, 0 for all teams of the user. They are asked for once.
export function choices(team = 0): Promise<ChoicesResponse> {
  const key = String(team);
  let response = cache.get(key);
  if (!response) {
    response = get<ChoicesResponse>("/manage/v1/choices", { team: team || undefined });
    response.catch(() => cache.delete(key));
    cache.set(key, response);
  }
  return response;
}

// clearChoices is called when there is something new to choose, such as a content source.
export const clearChoices = () => cache.clear();

const toOption = (p: Place): PickerOption => ({ id: p.id, name: p.name, note: p.kind === "country" ? "Country" : p.country });

// findPlaces returns the places whose names begin so, and placeNames those that have ids.
export async function findPlaces(text: string): Promise<PickerOption[]> {
  return (await get<PlacesResponse>("/manage/v1/places", { q: text, limit: 20 })).items.map(toOption);
}
export async function placeNames(ids: string[]): Promise<PickerOption[]> {
  if (!ids.length) return [];
  const response = await get<PlacesResponse>("/manage/v1/places", { ids: ids.join(";") });
  return ids.map((id) => {
    const p = response.items.find((x) => x.id === id);
    return p ? toOption(p) : { id, name: id };
  });
}
