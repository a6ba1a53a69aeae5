import { useEffect, useRef, useState } from "preact/hooks";
import { call, isAborted } from "../../lib/api";
import { dateTime } from "../../lib/format";
import type { SamplePost, SourceKind } from "../../lib/types";
import { Card, Notice } from "../../components/basics";
import { errorOf, type FieldError } from "./draft";
import type { SourceRequest } from "./rules";
import { sources as text } from "../../strings/sources";

// TestCard connects with the settings of the form and shows a few posts.
export function TestCard({ kind, request, check, onError }: { kind: SourceKind; request: SourceRequest; check: () => FieldError | null; onError: (e: FieldError) => void }) {
  const [posts, setPosts] = useState<SamplePost[] | null>(null);
  const [message, setMessage] = useState("");
  const [busy, setBusy] = useState(false);
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);
  const test = async () => {
    setPosts(null);
    setMessage("");
    const wrong = check();
    if (wrong) return onError(wrong);
    control.current = new AbortController();
    setBusy(true);
    try {
      const response = await call<{ posts: SamplePost[] }>("POST", "/manage/v1/sources/test", { body: request, signal: control.current.signal });
      setPosts(response.posts);
    } catch (err) {
      if (isAborted(err)) return;
      const found = errorOf((err as Error).message, kind);
      if (found.field) onError(found);
      else setMessage(found.message);
    }
    setBusy(false);
  };
  if (kind.receives) return <p class="muted small">{text.testNotFor}</p>;
  return (
    <Card
      title={text.test}
      note={text.testHint}
      tools={
        <button type="button" class="button small" disabled={busy} onClick={test}>
          {busy ? text.testing : text.test}
        </button>
      }
    >
      <div class="stack" aria-live="polite" aria-busy={busy}>
        {message && <Notice kind="bad">{message}</Notice>}
        {posts && <Notice kind={posts.length ? "good" : "warn"}>{posts.length ? text.testWorks(posts.length) : text.testEmpty}</Notice>}
        {posts && posts.length > 0 && (
          <ul class="rows" aria-label={text.testPosts}>
            {posts.map((p) => (
              <li key={p.guid}>
                <Sample post={p} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function Sample({ post: p }: { post: SamplePost }) {
  return (
    <div class="stack tight sample">
      <p class="small muted break">
        <strong>{p.author || p.source}</strong> · {dateTime(p.date)}
      </p>
      {p.title && <p class="break">{/^https?:/.test(p.url) ? <a href={p.url} target="_blank" rel="noreferrer">{p.title}</a> : p.title}</p>}
      {p.contents && p.contents !== p.title && <p class="small sample-text">{p.contents}</p>}
    </div>
  );
}
