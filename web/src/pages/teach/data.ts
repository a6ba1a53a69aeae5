import { all, get } from "../../lib/api";
import type { Model, ProportionsResponse, SuggestionsResponse, TrainingPost } from "../../lib/types";

const at = (id: string) => `/manage/v1/monitors/${id}`;

export const loadModel = (id: string) => get<Model>(`${at(id)}/model`);
export const loadTraining = (id: string) => all<TrainingPost>(`${at(id)}/training`);
export const loadProportions = (id: string, start: string, end: string) => get<ProportionsResponse>(`${at(id)}/proportions`, { start, end });
export const loadSuggestions = (id: string, seed: number) => get<SuggestionsResponse>(`${at(id)}/training/suggestions`, { limit: 20, seed });
export const trainingPath = (id: string, post = "") => `${at(id)}/training${post && `/${encodeURIComponent(post)}`}`;

// enough are the training posts of a category that are a fair start, and many those that are good.
export const enough = 20;
export const many = 50;
