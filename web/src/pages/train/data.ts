import { listAll, get } from "../../lib/api";
import type { Model, ProportionsResponse, SuggestionsResponse, TrainingPost } from "../../lib/types";
import type { ViewParams } from "../../lib/view";

const monitorPath = (id: string) => `/manage/v1/monitors/${id}`;

export const loadModel = (id: string) => get<Model>(`${monitorPath(id)}/model`);
export const loadTraining = (id: string) => listAll<TrainingPost>(`${monitorPath(id)}/training`);
export const loadProportions = (id: string, { range, start, end }: ViewParams) => get<ProportionsResponse>(`${monitorPath(id)}/proportions`, { range, start, end });
export const loadSuggestions = (id: string, seed: number) => get<SuggestionsResponse>(`${monitorPath(id)}/training/suggestions`, { limit: 20, seed });
export const trainingPath = (id: string, post = "") => `${monitorPath(id)}/training${post && `/${encodeURIComponent(post)}`}`;

// fairTraining and goodTraining are the numbers of training posts per category that give a fair and
// a good model.
export const fairTraining = 20;
export const goodTraining = 50;
