import { useState } from "preact/hooks";
import { remove } from "../../lib/api";
import { clearChoices } from "../../lib/choices";
import type { Source } from "../../lib/types";
import { navigate } from "../../lib/router";
import { Confirm } from "../../components/dialog";
import { toast } from "../../components/toast";
import { sources as text } from "../../strings/sources";

// RemoveSource asks whether to keep the posts of a source, and removes it.
export function RemoveSource({ source: s, onClose }: { source: Source; onClose: () => void }) {
  const [withPosts, setWithPosts] = useState(false);
  const confirm = async () => {
    await remove(`/manage/v1/sources/${s.id}`, { withPosts });
    clearChoices();
    toast((withPosts ? text.removedWithPosts : text.removed)(s.name));
    navigate("/sources");
  };
  const choice = (deletes: boolean, name: string, hint: string) => (
    <label class="type">
      <input type="radio" name="posts" checked={withPosts === deletes} onChange={() => setWithPosts(deletes)} />
      <span>
        {name}
        <span class="small muted">{hint}</span>
      </span>
    </label>
  );
  return (
    <Confirm title={text.removeTitle(s.name)} action={withPosts ? text.removeDeleteAction : text.removeKeepAction} onConfirm={confirm} onClose={onClose}>
      <div class="stack">
        <p>{text.removeLead}</p>
        <fieldset>
          <legend class="label">{text.removePosts}</legend>
          <div class="types">
            {choice(false, text.removeKeep, text.removeKeepHint(s.counters.posts))}
            {choice(true, text.removeDelete, text.removeDeleteHint)}
          </div>
        </fieldset>
      </div>
    </Confirm>
  );
}
