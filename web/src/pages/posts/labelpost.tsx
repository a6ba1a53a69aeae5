import { useState } from "preact/hooks";
import { patch, post as send, remove } from "../../lib/api";
import type { AddedTraining, Category, Monitor, HighlightedPost } from "../../lib/types";
import { Icon } from "../../components/icon";
import { showError } from "../../components/toast";
import { common } from "../../strings/common";
import { posts as text } from "../../strings/posts";

interface TrainingExample {
  id: string; // id of the training post
  before: number; // its previous category, or 0 if it was not a training post
  category: string;
}

// LabelPost labels a post with a category of an opinion monitor, which makes it a training post,
// and can undo that.
export function LabelPost({ monitor, post }: { monitor: Monitor; post: HighlightedPost }) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [example, setExample] = useState<TrainingExample | null>(null);
  const path = `/manage/v1/monitors/${monitor.id}/training`;
  const attempt = async (fn: () => Promise<void>) => {
    setBusy(true);
    await fn().catch(showError);
    setBusy(false);
  };
  const label = (c: Category) =>
    attempt(async () => {
      const response = await send<AddedTraining>(path, { posts: [{ key: post.key }], categoryId: c.id });
      setExample({ id: response.ids![0], category: c.name, before: response.before?.[0] ?? 0 });
      setOpen(false);
    });
  const undo = () =>
    attempt(async () => {
      if (example!.before) await patch(`${path}/${example!.id}`, { categoryId: example!.before });
      else await remove(`${path}/${example!.id}`);
      setExample(null);
    });
  if (example)
    return (
      <span class="row small" role="status">
        <span class="good">{text.label.done(example.category)}</span>
        <button type="button" class="button quiet small" disabled={busy} onClick={undo}>
          <Icon name="undo" />
          {common.actions.undo}
        </button>
      </span>
    );
  return (
    <span class="row">
      <button type="button" class="linklike small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {text.label.button}
      </button>
      {open &&
        monitor.categories.map((c) => (
          <button key={c.id} type="button" class="button small" disabled={busy} aria-label={text.label.as(c.name)} onClick={() => label(c)}>
            {c.name}
          </button>
        ))}
    </span>
  );
}
