import { get } from "../../lib/api";
import type { Analysis, AnalysisResult, AnalysisState, Page } from "../../lib/types";

export const stateTones: Record<AnalysisState, string> = { DONE: "good", WAITING: "warn", SKIPPED: "bad" };

export const loadResult = (id: string) => get<AnalysisResult>(`/api/results/${id}`);

// loadAnalysis returns one of the user's 100 newest requests, or undefined.
export async function loadAnalysis(id: string): Promise<Analysis | undefined> {
  const { items } = await get<Page<Analysis>>("/manage/v1/analyses", { limit: 100 });
  return items.find((a) => String(a.id) === id);
}
