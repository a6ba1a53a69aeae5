// Corrections: what people say instead of a model about the sentiment, emotion or category of a post.
import { useState } from "preact/hooks";
import { get, patch } from "./api";
import type { MarkedIn } from "./members";
import type { ShownPost } from "./post";
import type { HighlightedPost } from "./types";

export type CorrectedField = "sentiment" | "emotion" | "category";

// A Correcting is a post as it is corrected, and what can be done about it.
export interface Correcting {
  post: ShownPost;
  correct: (field: CorrectedField, value: string) => Promise<void>;
  undo: (field: CorrectedField) => Promise<void>;
}

// adoptCorrection copies what depends on the correction of a post to the post of a list, which is kept
// when the user leaves it and comes back.
export function adoptCorrection(post: ShownPost, { assignedCategoryId, assignedEmotionId, categoryScores, emotionScores, correction }: HighlightedPost) {
  Object.assign(post, { assignedCategoryId, assignedEmotionId, categoryScores, emotionScores, correction });
}

// useCorrecting corrects a post in a monitor. onCorrected runs when the numbers on the page have
// changed.
export function useCorrecting(post: ShownPost, where: MarkedIn | undefined, onCorrected?: () => void): Correcting {
  const [, setVersion] = useState(0);
  const path = `/manage/v1/monitors/${where?.id}/posts/${post.key}`;
  const change = async (field: CorrectedField, value: string) => {
    await patch(`${path}/correction`, { [field]: value }); // a colleague may correct another field
    adoptCorrection(post, await get<HighlightedPost>(path));
    setVersion((n) => n + 1);
    onCorrected?.();
  };
  return { post, correct: change, undo: (field) => change(field, "") };
}
