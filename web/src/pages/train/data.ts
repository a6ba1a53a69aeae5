import { listAll, get } from "../../lib/api";
import type { Model, ProportionsResponse, SuggestionsResponse, TrainingPost } from "../../lib/types";

const monitorPath = (id: string) => `/manage/v1/monitors/${id}`;

export const loadModel = (id: string) => get<Model>(`${monitorPath(id)}/model`);
export const loadTraining = (id: string) => listAll<TrainingPost>(`${monitorPath(id)}/training`);
export const loadProportions = (id: string, start: string, end: string) => get<ProportionsResponse>(`${monitorPath(id)}/proportions`, { start, end });
export const loadSuggestions = (id: string, seed: number) => get<SuggestionsResponse>(`${monitorPath(id)}/training/suggestions`, { limit: 20, seed });
export const trainingPath = (id: string, post = "") => `${monitorPath(id)}/training${post && `/${encodeURIComponent(post)}`}`;

// fairTraining are the training posts of a category that are a fair start, and many those that are good.
export const fairTraining = 20;
export const goodTraining = 50;
