import { shortCategory } from "../../lib/color";
import type { LabelsResponse, Monitor } from "../../lib/types";
import { common } from "../../strings/common";
import type { PostLabel } from "./deck";

// A Choice is a sentiment, emotion or category that a post can be labeled with.
export interface Choice {
  name: string;
  label: PostLabel;
}

const choicesOf = (field: keyof PostLabel, names: Record<string, string>): Choice[] => Object.entries(names).map(([value, name]) => ({ name, label: { [field]: value } }));

// choicesFor returns the categories of an opinion monitor, or the sentiments.
export const choicesFor = (m: Monitor): Choice[] =>
  m.type === "OPINION" ? m.categories.map((c) => ({ name: c.name, label: { category: String(c.id) } })) : choicesOf("sentiment", common.filter.sentiments);

export const emotionChoices = choicesOf("emotion", common.filter.emotions);

// nameOf describes a label: "Negative, Anger". It is empty if the person cannot tell.
export function nameOf(label: { sentiment?: string; emotion?: string; category?: number | string }, labels: LabelsResponse | undefined): string {
  const category = labels?.categories.find((c) => String(c.id) === String(label.category))?.name;
  return [common.filter.sentiments[label.sentiment ?? ""], category && shortCategory(category), common.filter.emotions[label.emotion ?? ""]].filter(Boolean).join(", ");
}
