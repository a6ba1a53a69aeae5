import { all, get } from "../../lib/api";
import type { Post } from "../../lib/types";

// A Suggestion is a post that is worth putting into a category.
export interface Suggestion {
  key: string;
  post: Post;
  scores: { categoryId: number; score: number }[]; // empty before there is a model
  reason: "unsure" | "random";
}

export interface TrainingPost {
  id: string;
  url: string;
  title?: string;
  type?: string;
  contents?: string; // missing where the source does not let others show it
  author?: string;
  date?: string;
  language: string;
  categoryId: number;
  categoryName: string;
  added: string;
  addedBy: string;
}

export interface CategoryReport {
  categoryId: number;
  category: string;
  trainingPosts: number;
  precision: number;
  recall: number;
  f1: number;
  forecast: number;
  terms: { text: string; weight: number }[];
}

export interface Disagreement {
  id: string;
  url: string;
  title?: string;
  categoryId: number;
  category: string;
  toldId: number;
  told: string;
  share: number;
}

export interface Report {
  trainingPosts: number;
  accuracy: number;
  macroF1: number;
  calibrationError: number;
  categories: CategoryReport[];
  confusion: { categoryId: number; category: string; told: number[] }[];
  disagreements: Disagreement[];
  curve: { trainingPosts: number; accuracy: number }[];
  forecast?: { trainingPosts: number; accuracy: number };
}

// A Model is how far a monitor has learnt from its training posts.
export interface Model {
  state: "untrained" | "learning" | "ready";
  missing?: string; // what it takes to learn from the training posts
  trainingPosts: number;
  changed: boolean;
  learntAt: string | null;
  report?: Report;
  advice: string[];
}

export interface Proportions {
  timezone: string;
  days: { date: string; posts: number; categories: { categoryId: number; category: string; hidden: boolean; proportion: number; low: number; high: number; volume: number }[] }[];
}

const at = (id: string) => `/manage/v1/monitors/${id}`;

export const loadModel = (id: string) => get<Model>(`${at(id)}/model`);
export const loadTraining = (id: string) => all<TrainingPost>(`${at(id)}/training`);
export const loadProportions = (id: string, start: string, end: string) => get<Proportions>(`${at(id)}/proportions`, { start, end });
export const loadSuggestions = (id: string, seed: number) => get<{ items: Suggestion[]; model: boolean }>(`${at(id)}/training/suggestions`, { limit: 20, seed });
export const trainingPath = (id: string, post = "") => `${at(id)}/training${post && `/${encodeURIComponent(post)}`}`;

// enough are the training posts of a category that are a fair start, and many those that are good.
export const enough = 20;
export const many = 50;
