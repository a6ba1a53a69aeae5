import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../lib/api";
import { categoryColor } from "../../lib/color";
import { keysAreOn } from "../../lib/shortcuts";
import { useDark } from "../../lib/theme";
import type { HighlightedPost, Monitor } from "../../lib/types";
import { ErrorNotice, Skeleton } from "../../components/basics";
import { Icon } from "../../components/icon";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { common } from "../../strings/common";
import { label as text } from "../../strings/label";
import { choicesFor, emotionChoices, nameOf, type Choice } from "./choices";
import type { Deck, PostLabel } from "./deck";
import { Draw } from "./draw";

// Cards shows one post at a time, to be labeled with a click or a key. With emotions, it asks for the
// emotion after the sentiment or category.
export function Cards({ m, deck, emotions }: { m: Monitor; deck: Deck; emotions: boolean }) {
  const [waiting, setWaiting] = useState<{ of: string; choice: Choice }>(); // a post whose emotion is missing
  const [undone, setUndone] = useState(false);
  const post = deck.current?.post;
  const chosen = emotions && waiting && waiting.of === post?.key ? waiting.choice : undefined;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (section.current!.getBoundingClientRect().top < 0) section.current!.scrollIntoView(); // show the start of the new post
  }, [post?.key]);
  const group = useRef<HTMLDivElement>(null);
  const clicked = useRef(false);
  useEffect(() => {
    if (clicked.current && !group.current?.contains(document.activeElement)) group.current?.querySelector("button")?.focus({ preventScroll: true }); // the button that was clicked is gone
    clicked.current = false;
  }, [chosen, post?.key]);

  const choices = chosen ? emotionChoices : choicesFor(m);
  const put = (label: PostLabel) => {
    setUndone(false);
    setWaiting(undefined);
    deck.put(label);
  };
  const choose = (choice: Choice) => {
    if (post && emotions && !chosen) setWaiting({ of: post.key, choice });
    else put({ ...chosen?.label, ...choice.label });
  };
  const skip = () => put(chosen?.label ?? {});
  const undo = () => {
    setUndone(true);
    setWaiting(undefined);
    if (!chosen) deck.undo();
  };
  useKeys({ choices, choose, skip, undo });

  return (
    <section class="stack label-post" ref={section} aria-label={text.post}>
      {deck.failed && <ErrorNotice error={new Error(text.notSaved(deck.failed.message, deck.unsent.length))} retry={deck.retry} undo={{ name: text.discard, act: deck.discard }} />}
      {deck.error && <ErrorNotice error={deck.error} retry={deck.retry} />}
      <CurrentPost m={m} deck={deck} />
      {post && <RestrictedNote posts={[post]} />}
      <div class="label-choices stack tight">
        {chosen && <p class="muted">{text.emotionOf(chosen.name)}</p>}
        <div class="train-categories" ref={group} hidden={deck.empty} role="group" aria-label={chosen ? text.choices.emotion : m.type === "OPINION" ? text.choices.category : text.choices.sentiment} onClickCapture={() => (clicked.current = true)}>
          {choices.map((c, i) => (
            <ChoiceButton key={i} choice={c} position={i} disabled={!post} onClick={() => choose(c)} kind={chosen ? "emotion" : "category"} />
          ))}
        </div>
        <div class="row">
          <button type="button" class="button" aria-keyshortcuts="0 S" hidden={deck.empty} aria-disabled={!post} onClick={skip}>
            {keysAreOn() && <kbd aria-hidden="true">0</kbd>}
            {text.skip}
          </button>
          <button type="button" class="button" aria-keyshortcuts="U Backspace" hidden={deck.empty && !deck.done.length} aria-disabled={!chosen && !deck.done.length} onClick={undo}>
            {keysAreOn() && <kbd aria-hidden="true">U</kbd>}
            <Icon name="undo" />
            {common.actions.undo}
          </button>
          <span class="small muted">{deck.unsent.length > 0 && !deck.failed && common.saving}</span>
        </div>
      </div>
      <Announcement deck={deck} chosen={chosen} undone={undone} />
    </section>
  );
}

function CurrentPost({ m, deck }: { m: Monitor; deck: Deck }) {
  const post = deck.current?.post;
  if (post) return <PostCard key={post.key} post={post} zone={m.timezone} scores={false} loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${m.id}/posts/${p.key}`)} />;
  if (deck.empty) return <Draw deck={deck} first={deck.labels?.samples.length === 0} />;
  return deck.error ? null : <Skeleton height="14rem" label={text.loading} />;
}

function ChoiceButton({ choice, position, disabled, kind, onClick }: { choice: Choice; position: number; disabled: boolean; kind: "category" | "emotion"; onClick: () => void }) {
  const dark = useDark();
  const key = position < 9 ? String(position + 1) : undefined;
  return (
    <button type="button" class="button" aria-keyshortcuts={key} aria-disabled={disabled} onClick={onClick}>
      {key && keysAreOn() && <kbd aria-hidden="true">{key}</kbd>}
      <span class="dot" style={{ background: categoryColor(choice.name, position, dark, kind) }} />
      <span class="break">{choice.name}</span>
    </button>
  );
}

// Announcement tells screen readers what was labeled, and reads the next post out.
function Announcement({ deck, chosen, undone }: { deck: Deck; chosen: Choice | undefined; undone: boolean }) {
  const last = deck.done.at(-1);
  const post = deck.current?.post;
  const said = undone ? text.undone : !last?.label ? "" : nameOf(last.label, deck.labels) ? text.labeled(nameOf(last.label, deck.labels)) : text.skipped;
  return (
    <p class="sr" role="status">
      {chosen ? (
        text.emotionOf(chosen.name)
      ) : (
        <>
          {said}
          {deck.empty && deck.done.length > 0 && text.doneTitle}
          {post && text.next(deck.labeled + 1, deck.labels?.posts ?? 0)}
          {post && <span lang={post.language}>{[post.title, post.contents ?? common.restricted.text].filter(Boolean).join(". ")}</span>}
        </>
      )}
    </p>
  );
}

interface Keys {
  choices: Choice[];
  choose: (choice: Choice) => void;
  skip: () => void;
  undo: () => void;
}

// useKeys handles the keyboard shortcuts: 1 to 9 label the post, 0 or S says that one cannot tell, and
// U or Backspace undoes. Keys typed into fields are ignored.
function useKeys(keys: Keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const listen = (e: KeyboardEvent) => {
      const target = e.target as HTMLElement;
      if (e.repeat || e.ctrlKey || e.metaKey || e.altKey || !keysAreOn() || target.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]")) return;
      const { choices, choose, skip, undo } = latest.current;
      const key = e.key.toLowerCase();
      const choice = /^[1-9]$/.test(key) && choices[Number(key) - 1];
      if (choice) choose(choice);
      else if (key === "0" || key === "s") skip();
      else if (key === "u" || key === "backspace") undo();
      else return;
      e.preventDefault();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}
