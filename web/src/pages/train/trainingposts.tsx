import { useState } from "preact/hooks";
import { patch, remove } from "../../lib/api";
import { timeAgo } from "../../lib/format";
import { safeHref } from "../../lib/href";
import type { Category, Disagreement, Monitor, TrainingPost } from "../../lib/types";
import { Card, EmptyState, SelectField, TextField } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { RestrictedNote } from "../../components/restricted";
import { showError, toast } from "../../components/toast";
import { common } from "../../strings/common";
import { train } from "../../strings/train";
import { trainingPath } from "./data";

const pageSize = 50; // posts added by "Show more"

interface Props {
  m: Monitor;
  posts: TrainingPost[];
  disagreements: Disagreement[];
  onChange: () => void;
}

// TrainingPosts lists the labeled posts, and moves and deletes them. It can show only the posts
// whose label the model disagrees with.
export function TrainingPosts({ m, posts, disagreements, onChange }: Props) {
  const [category, setCategory] = useState("");
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(pageSize);
  const [deleting, setDeleting] = useState<TrainingPost | null>(null);
  const byId = new Map(disagreements.map((d) => [d.id, d]));
  const matching = select(posts, byId, category, text);
  return (
    <Card title={train.trainingPosts} note={train.listNote}>
      <div class="row top" style={{ marginBottom: "1rem" }}>
        <SelectField
          label={common.words.category}
          value={category}
          onChange={(c) => {
            setCategory(c);
            setLimit(pageSize);
          }}
          options={[{ value: "", name: train.all(posts.length) }, ...(disagreements.length ? [{ value: disagreeing, name: train.disagreements(disagreements.length) }] : []), ...m.categories.map((c) => ({ value: String(c.id), name: train.categoryOption(c.name, c.trainingDocs ?? 0) }))]}
        />
        <TextField label={train.search} value={text} onInput={setText} placeholder={train.searchPlaceholder} />
      </div>
      {matching.length === 0 && <EmptyState title={posts.length ? train.noMatchTitle : train.noneTitle}>{posts.length ? train.noMatchText : train.noneText}</EmptyState>}
      <RestrictedNote posts={matching.slice(0, limit)} />
      <ul aria-label={train.trainingPosts}>
        {matching.slice(0, limit).map((p) => (
          <li key={p.id} class="training">
            <Item m={m} post={p} disagreement={byId.get(p.id)} onChange={onChange} onDelete={() => setDeleting(p)} />
          </li>
        ))}
      </ul>
      {matching.length > limit && (
        <button type="button" class="button" onClick={() => setLimit(limit + pageSize)}>
          {train.showMore(matching.length - limit)}
        </button>
      )}
      {deleting && (
        <Confirm
          title={train.deleteTitle}
          action={common.actions.delete}
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await remove(trainingPath(String(m.id), deleting.id));
            toast(train.deleted);
            onChange();
          }}
        >
          {train.deleteText}
        </Confirm>
      )}
    </Card>
  );
}

const disagreeing = "doubts"; // the option for posts whose label the model disagrees with

// select returns the posts of a category that contain a text. Posts whose label the model disagrees
// with are sorted by the model's confidence, highest first.
function select(posts: TrainingPost[], disagreements: Map<string, Disagreement>, category: string, text: string): TrainingPost[] {
  const term = text.trim().toLowerCase();
  const fits = (p: TrainingPost) => (!category || category === disagreeing || String(p.categoryId) === category) && (!term || `${p.title ?? ""} ${p.contents ?? ""} ${p.author ?? ""} ${p.url}`.toLowerCase().includes(term));
  const list = posts.filter((p) => fits(p) && (category !== disagreeing || disagreements.has(p.id)));
  return category === disagreeing ? list.sort((a, b) => disagreements.get(b.id)!.share - disagreements.get(a.id)!.share) : list;
}

interface ItemProps {
  m: Monitor;
  post: TrainingPost;
  disagreement?: Disagreement;
  onChange: () => void;
  onDelete: () => void;
}

function Item({ m, post, disagreement, onChange, onDelete }: ItemProps) {
  const href = safeHref(post.url);
  const move = (to: Category) =>
    patch(trainingPath(String(m.id), post.id), { categoryId: to.id }).then(() => {
      toast(train.moved(to.name));
      onChange();
    }, showError);
  const other = m.categories.find((c) => c.id === disagreement?.predictedId);
  const name = (post.title || post.contents || post.url).slice(0, 60);
  return (
    <>
      <div class="grow">
        {post.title && <h3 dir="auto">{post.title}</h3>}
        <p class="break" dir="auto" lang={post.language || undefined}>
          {post.contents ?? <span class="muted small">{common.restricted.text}</span>}
        </p>
        <div class="row small muted">
          {post.type && <span>{post.type}</span>}
          {post.author && <span>{post.author}</span>}
          <span>{train.labeledBy(post.addedBy, timeAgo(post.added))}</span>
          {href && (
            <a href={href} target="_blank" rel="noreferrer noopener" aria-label={train.openPost(name)}>
              {common.actions.open}
            </a>
          )}
        </div>
        {disagreement && other && (
          <div class="row small">
            <span class="badge warn">{train.modelPredicts(disagreement.predicted, disagreement.share)}</span>
            <button type="button" class="button small" onClick={() => move(other)}>
              {train.moveTo(other.name)}
            </button>
          </div>
        )}
      </div>
      <div class="row">
        <select aria-label={train.categoryOf(name)} value={String(post.categoryId)} onChange={(e) => move(m.categories.find((c) => String(c.id) === e.currentTarget.value)!)}>
          {m.categories.map((c) => (
            <option key={c.id} value={String(c.id)}>
              {c.name}
            </option>
          ))}
        </select>
        <button type="button" class="button small quiet" aria-label={train.deletePost(name)} onClick={onDelete}>
          {common.actions.delete}
        </button>
      </div>
    </>
  );
}
