import { useState } from "preact/hooks";
import { shortCategory } from "../lib/color";
import type { ShownPost } from "../lib/post";
import { Bars } from "./bars";
import { common } from "../strings/common";

// Scores is a collapsible list of the scores of all categories and emotions of a post.
export function Scores({ post }: { post: ShownPost }) {
  const [open, setOpen] = useState(false);
  if (!post.categoryScores.length && !post.emotionScores.length) return null;
  const percents = (list: { id: number; name: string; score: number }[]) => list.map((s) => ({ id: String(s.id), name: s.name, value: s.score, text: `${Math.round(s.score * 100)}%` }));
  return (
    <details class="scores" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary class="small">{common.postCard.scores}</summary>
      {open && (
        <div class="grid">
          {post.categoryScores.length > 0 && <Bars bars={percents(post.categoryScores.map((s) => ({ id: s.categoryId, name: shortCategory(s.categoryName), score: s.score })))} empty={common.postCard.noCategory} />}
          {post.emotionScores.length > 0 && <Bars bars={percents(post.emotionScores.map((s) => ({ id: s.emotionId, name: s.emotionName, score: s.score })))} empty={common.postCard.noEmotion} />}
        </div>
      )}
    </details>
  );
}
