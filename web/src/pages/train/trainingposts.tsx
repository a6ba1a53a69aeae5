import { useState } from "preact/hooks";
import { patch, remove } from "../../lib/api";
import { timeAgo, percent, plural } from "../../lib/format";
import { safeHref } from "../../lib/href";
import type { Category, Disagreement, Monitor, TrainingPost } from "../../lib/types";
import { Card, EmptyState, SelectField, TextField } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { showError, toast } from "../../components/toast";
import { trainingPath } from "./data";

const step = 50; // posts more at a time

interface Props {
  m: Monitor;
  posts: TrainingPost[];
  doubts: Disagreement[];
  onChange: () => void;
}

// TrainingPosts lists the posts that were put into categories, and lets one move and delete them. Those that the model
// disagrees with come first when asked for.
export function TrainingPosts({ m, posts, doubts, onChange }: Props) {
  const [category, setCategory] = useState("");
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(step);
  const [deleting, setDeleting] = useState<TrainingPost | null>(null);
  const disagreements = new Map(doubts.map((d) => [d.id, d]));
  const matching = select(posts, disagreements, category, text);
  return (
    <Card title="Training posts" note="What the model learns from. A change makes it learn anew.">
      <div class="row top" style={{ marginBottom: "1rem" }}>
        <SelectField
          label="Category"
          value={category}
          onChange={(c) => {
            setCategory(c);
            setLimit(step);
          }}
          options={[{ value: "", name: `All (${posts.length})` }, ...(doubts.length ? [{ value: "doubts", name: `The model disagrees (${doubts.length})` }] : []), ...m.categories.map((c) => ({ value: String(c.id), name: `${c.name} (${c.trainingDocs ?? 0})` }))]}
        />
        <TextField label="Search" value={text} onInput={setText} placeholder="Words in the text" />
      </div>
      {matching.length === 0 && <EmptyState title={posts.length ? "None of them fits" : "There are no training posts yet"}>{posts.length ? "Choose another category or other words." : "Put posts into categories on the tab “Sort posts”."}</EmptyState>}
      <ul aria-label="Training posts">
        {matching.slice(0, limit).map((p) => (
          <li key={p.id} class="training">
            <Item m={m} post={p} doubt={disagreements.get(p.id)} onChange={onChange} onDelete={() => setDeleting(p)} />
          </li>
        ))}
      </ul>
      {matching.length > limit && (
        <button type="button" class="button" onClick={() => setLimit(limit + step)}>
          Show more ({plural(matching.length - limit, "post")} left)
        </button>
      )}
      {deleting && (
        <Confirm
          title="Delete the training post?"
          action="Delete"
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await remove(trainingPath(String(m.id), deleting.id));
            toast("The training post is deleted.");
            onChange();
          }}
        >
          The model learns anew without it. The post itself stays in the monitor.
        </Confirm>
      )}
    </Card>
  );
}

// select returns the posts of a category that have some words; those that the model disagrees with surest first.
function select(posts: TrainingPost[], disagreements: Map<string, Disagreement>, category: string, text: string): TrainingPost[] {
  const term = text.trim().toLowerCase();
  const fits = (p: TrainingPost) => (!category || category === "doubts" || String(p.categoryId) === category) && (!term || `${p.title ?? ""} ${p.contents ?? ""} ${p.author ?? ""} ${p.url}`.toLowerCase().includes(term));
  const list = posts.filter((p) => fits(p) && (category !== "doubts" || disagreements.has(p.id)));
  return category === "doubts" ? list.sort((a, b) => disagreements.get(b.id)!.share - disagreements.get(a.id)!.share) : list;
}

interface ItemProps {
  m: Monitor;
  post: TrainingPost;
  doubt?: Disagreement;
  onChange: () => void;
  onDelete: () => void;
}

function Item({ m, post, doubt, onChange, onDelete }: ItemProps) {
  const href = safeHref(post.url);
  const move = (to: Category) =>
    patch(trainingPath(String(m.id), post.id), { categoryId: to.id }).then(() => {
      toast(`Moved to ${to.name}.`);
      onChange();
    }, showError);
  const other = m.categories.find((c) => c.id === doubt?.toldId);
  const name = (post.title || post.contents || post.url).slice(0, 60);
  return (
    <>
      <div class="grow">
        {post.title && <h3 dir="auto">{post.title}</h3>}
        <p class="break" dir="auto" lang={post.language || undefined}>
          {post.contents ?? <span class="muted">The text of this source may not be shown.</span>}
        </p>
        <div class="row small muted">
          {post.type && <span>{post.type}</span>}
          {post.author && <span>{post.author}</span>}
          <span>
            taught by {post.addedBy} {timeAgo(post.added)}
          </span>
          {href && (
            <a href={href} target="_blank" rel="noreferrer noopener" aria-label={`Open the post ${name}`}>
              Open
            </a>
          )}
        </div>
        {doubt && other && (
          <div class="row small">
            <span class="badge warn">
              The model says {doubt.told}, {percent(doubt.share)}
            </span>
            <button type="button" class="button small" onClick={() => move(other)}>
              Move to {other.name}
            </button>
          </div>
        )}
      </div>
      <div class="row">
        <select aria-label={`Category of: ${name}`} value={String(post.categoryId)} onChange={(e) => move(m.categories.find((c) => String(c.id) === e.currentTarget.value)!)}>
          {m.categories.map((c) => (
            <option key={c.id} value={String(c.id)}>
              {c.name}
            </option>
          ))}
        </select>
        <button type="button" class="button small quiet" aria-label={`Delete: ${name}`} onClick={onDelete}>
          Delete
        </button>
      </div>
    </>
  );
}
