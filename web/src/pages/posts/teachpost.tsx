import { useState } from "preact/hooks";
import { patch, post as send, remove } from "../../lib/api";
import type { AddedTraining, Category, Monitor, HighlightedPost } from "../../lib/types";
import { Icon } from "../../components/icon";
import { showError } from "../../components/toast";

interface TrainingExample {
  id: string; // of the training post
  before: number; // the category that it was in, 0: it was none
  category: string;
}

// TeachPost sorts a post into a category of an opinion monitor, as an example to learn from, and takes that back.
export function TeachPost({ monitor, post }: { monitor: Monitor; post: HighlightedPost }) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [example, setExample] = useState<TrainingExample | null>(null);
  const path = `/manage/v1/monitors/${monitor.id}/training`;
  const attempt = async (fn: () => Promise<void>) => {
    setBusy(true);
    await fn().catch(showError);
    setBusy(false);
  };
  const teach = (c: Category) =>
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
        <span class="good">Taught as {example.category}</span>
        <button type="button" class="button quiet small" disabled={busy} onClick={undo}>
          <Icon name="undo" />
          Undo
        </button>
      </span>
    );
  return (
    <span class="row">
      <button type="button" class="linklike small" aria-expanded={open} onClick={() => setOpen(!open)}>
        Teach
      </button>
      {open &&
        monitor.categories.map((c) => (
          <button key={c.id} type="button" class="button small" disabled={busy} aria-label={`Teach as ${c.name}`} onClick={() => teach(c)}>
            {c.name}
          </button>
        ))}
    </span>
  );
}
