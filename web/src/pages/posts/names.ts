import { get } from "../../lib/api";
import { useLoad } from "../../lib/load";
import type { Overview } from "../../lib/types";
import type { View } from "../../lib/view";

// useNames returns the names of interests, images and logos by "field:id". It loads them only if
// the filter contains any.
export function useNames(id: string, view: View): Record<string, string> {
  const { interest, image, brand } = view.filter;
  const needed = interest || image || brand;
  const query = { ...view.params, filter: "", parts: "interests,images" };
  const { data } = useLoad(needed ? `names ${id} ${view.range} ${view.start} ${view.end}` : null, (signal) => get<Overview>(`/manage/v1/monitors/${id}/overview`, query, signal));
  if (!data) return {};
  const named = (field: string, list: { id?: string | number; name: string }[]) => list.map((x) => [`${field}:${x.id}`, x.name]);
  return Object.fromEntries([...named("interest", data.interests), ...named("image", data.images.classes), ...named("brand", data.images.brands)]);
}
