// What the server answers, as far as pages use it. The management interface is described in docs/management.md, the
// public one in docs/api.md.

export interface Team {
  id: number;
  name: string;
  monitorLimit?: number;
}

export interface User {
  id: number;
  username: string;
  firstName: string;
  lastName: string;
  email: string;
  teams: Team[];
  permissions: string[];
  admin: boolean;
  apiAccess: boolean;
}

export interface Session {
  user: User;
  csrf: string;
  expires: string;
  version: string;
}

export type MonitorType = "BUZZ" | "OPINION" | "SOCIAL";

export interface Choice {
  type: "include" | "exclude";
  values: string[];
}

export interface Category {
  id: number;
  name: string;
  group?: string;
  hidden: boolean;
  trainingDocs?: number;
}

export interface Criteria {
  keywords: string;
  languages: Choice;
  geolocations: Choice;
  gender: "" | "M" | "F";
  sources: string[];
}

export interface MonitorFilter extends Criteria {
  id: number;
  name: string;
}

export interface Monitor extends Criteria {
  id: number;
  name: string;
  description: string;
  type: MonitorType;
  team: number;
  enabled: boolean;
  timezone: string;
  start: string;
  tags: string[];
  categories: Category[];
  emotions: Category[];
  account?: { network: string; handle?: string; pageId?: string };
  targetHashtags: string[];
  filters: MonitorFilter[];
  created: string;
  revision: number; // another after each edit
}

export interface Progress {
  state: string;
  done: number;
  total: number;
  startedAt: string | null;
  message: string;
}

export interface Remark {
  position: number;
  message: string;
}

export interface Lint {
  valid: boolean;
  errors: Remark[];
  warnings: Remark[];
  normal: string;
}

// A Count is a number of posts that have something in common.
export interface Count {
  id?: string | number;
  name: string;
  posts: number;
}

export interface Author extends Count {
  impressions: number;
}

export interface CategoryCount {
  id: number;
  name: string;
  group?: string;
  hidden?: boolean;
  posts: number;
  share: number;
}

export interface DayCount {
  date: string;
  posts: number;
  categories: number[];
  emotions: number[];
}

export interface Overview {
  monitor: { id: number; name: string; type: MonitorType; timezone: string };
  start: string;
  end: string;
  results: { start: string; end: string };
  posts: number;
  previous: { start: string; end: string; posts: number } | null;
  days: DayCount[];
  hours: { time: string; posts: number }[];
  categories: CategoryCount[];
  emotions: CategoryCount[];
  estimated: boolean;
  intervals: { date: string; categories: { low: number; high: number }[] }[];
  untaught: string;
  words: Count[];
  hashtags: Count[];
  sites: Count[];
  sources: Count[];
  languages: Count[];
  authors: { count: number; impressions: number; posts: number; top: Author[]; reach: Author[] };
  places: { located: number; countries: Count[]; states: Count[]; cities: Count[] };
  ages: { id: string; posts: number }[];
  genders: { id: "F" | "M"; posts: number }[];
  clock: { weekday: string; hour: number; posts: number }[];
  interests: (Count & { relevancy: number })[];
  images: { posts: number; classes: Count[]; brands: Count[] };
  engagement: Count[];
}

export interface Summary {
  id: number;
  name: string;
  type: MonitorType;
  team: number;
  enabled: boolean;
  timezone: string;
  tags: string[];
  start: string;
  end: string;
  posts: number;
  previous: number | null;
  spark: number[];
  categories: CategoryCount[];
  progress: Progress | null;
  untaught: string;
  error?: string; // why there are no figures
}

export interface Post {
  key: string;
  url?: string;
  date?: string;
  author?: string;
  authorUsername?: string;
  contents?: string;
  title?: string;
  type: string;
  language?: string;
  location?: string;
  geolocation?: { id: string; name: string; country: string; state?: string; city?: string };
  authorGender?: string;
  authorsFollowers?: number;
  assignedCategoryId: number;
  assignedEmotionId: number;
  categoryScores: { categoryId: number; categoryName: string; score: number }[];
  emotionScores: { emotionId: number; emotionName: string; score: number }[];
  imageInfo: {
    url: string;
    brands?: { brandId: string; brand: string; score: number }[];
    objects?: { classId: number; className: string; score: number }[];
  }[];
  engagementType?: string;
  hashtags?: string[];
  likes?: number;
  shares?: number;
  comments?: number;
  excerpt?: boolean;
  marks?: { title: [number, number][]; contents: [number, number][] };
  inferred?: string[];
  custom?: Record<string, string>;
}

// A Page is one piece of a list of the management interface.
export interface Page<T> {
  items: T[];
  next?: string;
}
