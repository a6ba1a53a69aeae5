import type { HighlightedPost, Post } from "./types";

// A ShownPost is a post of a monitor or a stream. Posts of streams have no highlights, hashtags or
// counters.
export type ShownPost = Post & Partial<HighlightedPost>;
