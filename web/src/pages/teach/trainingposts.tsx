import { useState } from "preact/hooks";
import { patch, remove } from "../../lib/api";
import { ago, percent, plural } from "../../lib/format";
import { safeHref } from "../../lib/href";
import type { Category, Disagreement, Monitor, TrainingPost } from "../../lib/types";
import { Card, Empty, SelectField, TextField } from "../../parts/basics";
import { Confirm } from "../../parts/dialog";
import { failed, toast } from "../../parts/toast";
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
  const [most, setMost] = useState(step);
  const [doomed, setDoomed] = useState<TrainingPost | null>(null);
  const told = new Map(doubts.map((d) => [d.id, d]));
  const found = select(posts, told, category, text);
  return (
    <Card title="Training posts" note="What the model learns from. A change makes it learn anew.">
      <div class="row top" style={{ marginBottom: "1rem" }}>
        <SelectField
          label="Category"
          value={category}
          onChange={(c) => {
            setCategory(c);
            setMost(step);
          }}
          options={[{ value: "", name: `All (${posts.length})` }, ...(doubts.length ? [{ value: "doubts", name: `The model disagrees (${doubts.length})` }] : []), ...m.categories.map((c) => ({ value: String(c.id), name: `${c.name} (${c.trainingDocs ?? 0})` }))]}
        />
        <TextField label="Search" value={text} onInput={setText} placeholder="Words in the text" />
      </div>
      {found.length === 0 && <Empty title={posts.length ? "None of them fits" : "There are no training posts yet"}>{posts.length ? "Choose another category or other words." : "Put posts into categories on the tab “Sort posts”."}</Empty>}
      <ul aria-label="Training posts">
        {found.slice(0, most).map((p) => (
          <li key={p.id} class="training">
            <Item m={m} post={p} doubt={told.get(p.id)} onChange={onChange} onDelete={() => setDoomed(p)} />
          </li>
        ))}
      </ul>
      {found.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + step)}>
          Show more ({plural(found.length - most, "post")} left)
        </button>
      )}
      {doomed && (
        <Confirm
          title="Delete the training post?"
          action="Delete"
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await remove(trainingPath(String(m.id), doomed.id));
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
function select(posts: TrainingPost[], told: Map<string, Disagreement>, category: string, text: string): TrainingPost[] {
  const want = text.trim().toLowerCase();
  const fits = (p: TrainingPost) => (!category || category === "doubts" || String(p.categoryId) === category) && (!want || `${p.title ?? ""} ${p.contents ?? ""} ${p.author ?? ""} ${p.url}`.toLowerCase().includes(want));
  const list = posts.filter((p) => fits(p) && (category !== "doubts" || told.has(p.id)));
  return category === "doubts" ? list.sort((a, b) => told.get(b.id)!.share - told.get(a.id)!.share) : list;
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
    }, failed);
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
            taught by {post.addedBy} {ago(post.added)}
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
