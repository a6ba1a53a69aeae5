import type { HighlightedPost, Post } from "./types";

// A ShownPost is a post of a monitor or of a stream. Posts of streams come without highlights, hashtags and counters.
export type ShownPost = Post & Partial<HighlightedPost>;
