import { useState } from "preact/hooks";
import { changePosts, type BulkChange } from "../../lib/bulk";
import { shortCategory } from "../../lib/color";
import type { CorrectedField } from "../../lib/correction";
import { clearTags } from "../../lib/members";
import type { Marking } from "../../lib/marks";
import { maxSelected, type Selection } from "../../lib/selection";
import type { HighlightedPost, Mark, Monitor } from "../../lib/types";
import { ErrorNotice } from "../../components/basics";
import { Icon } from "../../components/icon";
import { Popover } from "../../components/popover";
import { AssignForm, TagForm } from "../../components/postmarks";
import { showError, toast } from "../../components/toast";
import { canExclude, ExcludeDialog } from "./exclude";
import { common } from "../../strings/common";
import { corrections, marks } from "../../strings/marks";
import { posts as text } from "../../strings/posts";

interface Props {
  id: string; // of the monitor or filter
  monitor: Monitor;
  selection: Selection;
  posts: HighlightedPost[]; // that are selected
  loaded: number; // posts of the list
  onChanged: (change: BulkChange) => void;
  reload: () => void;
}

// SelectionBar says how many posts are selected, and changes all of them at once.
export function SelectionBar({ id, monitor, selection, posts, loaded, onChanged, reload }: Props) {
  const [failed, setFailed] = useState<{ of: string; error: Error }>();
  const [busy, setBusy] = useState(false);
  const [excluding, setExcluding] = useState(false);
  const of = selection.keys.join();
  const change = async (changes: BulkChange, done: string) => {
    setFailed(undefined);
    setBusy(true);
    try {
      const undo = await changePosts(id, posts, changes);
      toast(done, "good", { name: common.actions.undo, act: () => undo().then(() => onChanged(changes), showError) });
      onChanged(changes);
    } catch (error) {
      setFailed({ of, error: error as Error });
    }
    setBusy(false);
  };
  const correct = (correction: BulkChange["correction"], done: string) => void change({ correction }, done);
  const marking = markingOf(posts, (mark, done) => change({ mark }, done));
  const n = posts.length;
  const { starred } = marking.mark;
  return (
    <div class={`selectbar ${n ? "" : "idle"}`} role="region" aria-label={text.select.label} aria-busy={busy}>
      <strong class="num" role="status">
        {n > 0 && text.select.count(n)}
      </strong>
      {n > 0 && (
        <>
          <div class="row">
            {n < Math.min(loaded, maxSelected) && (
              <button type="button" class="button quiet small select-all" onClick={selection.all}>
                {text.select.all(Math.min(loaded, maxSelected))}
              </button>
            )}
            <button type="button" class="button quiet small" onClick={selection.clear}>
              {text.select.clear}
            </button>
          </div>
          {failed?.of === of && <ErrorNotice error={failed.error} undo={{ name: text.select.reload, act: reload }} />}
          <div class="row">
            <button type="button" class="button small" disabled={busy} data-bulk="star" onClick={marking.star}>
              <Icon name="star" />
              {starred ? marks.unstar : marks.star}
            </button>
            <span data-bulk="tag">
              <Popover class="button small" button={<><Icon name="tag" />{marks.tag}</>} label={marks.tag}>
                {() => <TagForm where={{ id, team: monitor.team }} marking={marking} />}
              </Popover>
            </span>
            <span data-bulk="assign">
              <Popover class="button small" button={<><Icon name="person" />{marks.assign}</>} label={marks.assign}>
                {(close) => <AssignForm where={{ id, team: monitor.team }} marking={marking} close={close} />}
              </Popover>
            </span>
            <Correct posts={posts} onPick={correct} />
            {canExclude(monitor) && (
              <button type="button" class="button small" onClick={() => setExcluding(true)}>
                <Icon name="minus" />
                {text.exclude.button}
              </button>
            )}
          </div>
        </>
      )}
      {excluding && n > 0 && <ExcludeDialog monitor={monitor} posts={posts} onCorrect={correct} onClose={() => setExcluding(false)} />}
    </div>
  );
}

// markingOf returns the mark that all of several posts have, and changes theirs.
function markingOf(posts: HighlightedPost[], edit: (mark: BulkChange["mark"], done: string) => Promise<void>): Marking {
  const n = posts.length;
  const [first, ...others] = posts.map((p): Partial<Mark> => p.mark ?? {});
  const mark: Mark = {
    starred: posts.every((p) => p.mark?.starred),
    tags: (first?.tags ?? []).filter((tag) => others.every((m) => m.tags?.includes(tag))),
    assignee: (others.every((m) => m.assignee?.id === first.assignee?.id) && first?.assignee) || null,
    notes: [],
  };
  const none = async () => {};
  return {
    mark,
    star: () => edit({ starred: !mark.starred }, mark.starred ? text.select.unstarred(n) : text.select.starred(n)),
    addTag: (tag) => edit({ addTags: [tag] }, text.select.tagged(n, tag)).then(clearTags),
    removeTag: (tag) => edit({ removeTags: [tag] }, text.select.untagged(n, tag)).then(clearTags),
    assign: (member) => edit({ assignee: member?.id ?? 0 }, member ? text.select.assigned(n, member.name) : text.select.unassigned(n)),
    addNote: none,
    editNote: none,
    removeNote: none,
  };
}

interface CorrectionGroup {
  field: CorrectedField;
  label: string;
  options: { value: string; name: string }[];
}

// Correct offers the values that the posts can be corrected to.
function Correct({ posts, onPick }: { posts: HighlightedPost[]; onPick: (correction: BulkChange["correction"], done: string) => void }) {
  const word = text.select;
  const categories = posts.find((p) => p.categoryScores.length)?.categoryScores ?? [];
  const emotions = posts.find((p) => p.emotionScores.length)?.emotionScores ?? [];
  const sentiment = categories[0]?.categoryName.startsWith("Basic ");
  const groups: CorrectionGroup[] = [
    sentiment
      ? { field: "sentiment", label: common.words.sentiment, options: categories.map((c) => shortCategory(c.categoryName)).map((name) => ({ value: name.toLowerCase(), name })) }
      : { field: "category", label: common.words.category, options: categories.map((c) => ({ value: String(c.categoryId), name: shortCategory(c.categoryName) })) },
    { field: "emotion", label: common.words.emotion, options: emotions.map((e) => ({ value: e.emotionName.toLowerCase(), name: e.emotionName })) },
  ];
  const offered = groups.filter((g) => g.options.length > 0);
  if (!offered.length) return null;
  return (
    <Popover class="button small" label={word.correct} button={<><Icon name="edit" />{word.correct}</>}>
      {(close) => (
        <div class="row bulk-correct">
          {offered.map((g) => (
            <div key={g.field} class="options" role="group" aria-label={corrections.change(g.label)}>
              <p class="small muted correct-note">{g.label}</p>
              {[...g.options, { value: "", name: corrections.undo }].map((o) => (
                <button
                  key={o.value}
                  type="button"
                  class={o.value ? "" : "muted"}
                  onClick={() => {
                    close();
                    onPick({ [g.field]: o.value }, o.value ? word.corrected(g.label, posts.length, o.name) : word.uncorrected(posts.length));
                  }}
                >
                  {o.name}
                </button>
              ))}
            </div>
          ))}
        </div>
      )}
    </Popover>
  );
}
