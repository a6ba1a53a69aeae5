import { common } from "../strings/common";
import { get } from "./api";
import type { ChoicesResponse, Place, PlacesResponse } from "./types";
import type { PickerOption } from "../components/picker";

// closed networks are not offered. The API still accepts them, for old posts.
const closed = ["Google Plus"];

const cache = new Map<string, Promise<ChoicesResponse>>();

// choices returns the languages, sources and other options of a team, or of all teams of the user
// if team is 0. It caches them.
export function choices(team = 0): Promise<ChoicesResponse> {
  const key = String(team);
  let response = cache.get(key);
  if (!response) {
    response = get<ChoicesResponse>("/manage/v1/choices", { team: team || undefined }).then((c) => ({ ...c, sources: c.sources.filter((s) => !closed.includes(s)) }));
    response.catch(() => cache.delete(key));
    cache.set(key, response);
  }
  return response;
}

// clearChoices empties the cache. Call it when the options change, for example after creating a
// content source.
export const clearChoices = () => cache.clear();

const toOption = (p: Place): PickerOption => ({ id: p.id, name: p.name, note: p.kind === "country" ? common.picker.country : p.country });

// findPlaces returns places whose names start with a text.
export async function findPlaces(text: string): Promise<PickerOption[]> {
  return (await get<PlacesResponse>("/manage/v1/places", { q: text, limit: 20 })).items.map(toOption);
}

// placeNames returns the places with the given ids, in the same order. An unknown place is named by
// its id.
export async function placeNames(ids: string[]): Promise<PickerOption[]> {
  if (!ids.length) return [];
  const response = await get<PlacesResponse>("/manage/v1/places", { ids: ids.join(";") });
  return ids.map((id) => {
    const p = response.items.find((x) => x.id === id);
    return p ? toOption(p) : { id, name: id };
  });
}
