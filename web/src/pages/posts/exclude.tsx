import { useState } from "preact/hooks";
import { call } from "../../lib/api";
import type { BulkChange } from "../../lib/bulk";
import { dateRange } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { navigate } from "../../lib/router";
import type { ExclusionResponse, HighlightedPost, Monitor } from "../../lib/types";
import { Checkbox, ErrorNotice, Skeleton } from "../../components/basics";
import { Dialog } from "../../components/dialog";
import { common } from "../../strings/common";
import { posts } from "../../strings/posts";

const text = posts.exclude;

interface Props {
  monitor: Monitor;
  posts: HighlightedPost[]; // that are not relevant
  onCorrect: (correction: BulkChange["correction"], done: string) => void;
  onClose: () => void;
}

// canExclude reports whether a monitor has a query that can exclude posts.
export const canExclude = (m: Monitor) => m.keywords.trim() !== "";

// ExcludeDialog suggests terms that exclude posts from a monitor, and shows what they remove. The
// settings of the monitor then show the new query; only saving them changes anything.
export function ExcludeDialog({ monitor, posts: selected, onCorrect, onClose }: Props) {
  const [changed, setChosen] = useState<string[]>(); // undefined: the suggested choice
  const [own, setOwn] = useState<string[]>([]); // terms of the user
  const [typed, setTyped] = useState("");
  const keys = selected.map((p) => p.key);
  const ask = (terms: string[]) => (signal: AbortSignal) => call<ExclusionResponse>("POST", `/manage/v1/monitors/${monitor.id}/exclusions`, { body: { posts: keys, terms }, signal });
  const found = useLoad(`exclusions ${keys}`, ask([]));
  const chosen = changed ?? (found.data ? suggested(found.data, keys.length) : []);
  const of = chosen.length ? `exclusions ${keys} ${JSON.stringify(chosen)}` : null;
  const counted = useLoad(of, ask(chosen));
  const result = counted.loaded === of && !counted.loading ? counted.data : undefined;
  const toggle = (term: string, on: boolean) => setChosen(on ? [...chosen, term] : chosen.filter((t) => t !== term));
  const add = (e: Event) => {
    e.preventDefault();
    const term = typed.trim();
    if (!term) return;
    if (!own.includes(term)) setOwn([...own, term]);
    if (!chosen.includes(term)) toggle(term, true);
    setTyped("");
  };
  const hidden = monitor.type === "OPINION" ? monitor.categories.find((c) => c.hidden) : undefined;
  const suggestedTerms = found.data?.terms.map((t) => t.term) ?? [];
  return (
    <Dialog
      title={text.title(selected.length)}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            {common.actions.cancel}
          </button>
          {hidden && (
            <button
              type="button"
              class="button"
              onClick={() => {
                onClose();
                onCorrect({ category: String(hidden.id) }, text.moved(selected.length, hidden.name));
              }}
            >
              {text.move(hidden.name)}
            </button>
          )}
          <button type="button" class="button primary" disabled={!result?.query} onClick={() => navigate(`/monitors/${monitor.id}/edit?keywords=${encodeURIComponent(result!.query)}`)}>
            {text.review}
          </button>
        </>
      }
    >
      <div class="stack">
        <p class="muted">{text.lead(monitor.name)}</p>
        {found.error && <ErrorNotice error={found.error} retry={found.reload} />}
        {!found.data && !found.error && <Skeleton height="12rem" label={text.loading} />}
        {found.data && (
          <fieldset class="stack tight exclusions">
            <legend class="label">{text.terms}</legend>
            <p class="small muted">{text.compared(found.data.posts, dateRange(found.data.start, found.data.end))}</p>
            {found.data.terms.length === 0 && <p class="small muted">{text.none}</p>}
            {found.data.terms.map((t) => (
              <Term key={t.term} name={t.term} note={text.removes(t.selected, t.others)} on={chosen.includes(t.term)} set={toggle} />
            ))}
            {own.filter((t) => !suggestedTerms.includes(t)).map((t) => (
              <Term key={t} name={t} note="" on={chosen.includes(t)} set={toggle} />
            ))}
          </fieldset>
        )}
        <form class="row nowrap-row" onSubmit={add}>
          <input aria-label={text.own} placeholder={text.own} value={typed} maxLength={200} onInput={(e) => setTyped(e.currentTarget.value)} />
          <button type="submit" class="button" disabled={!typed.trim()}>
            {common.actions.add}
          </button>
        </form>
        {counted.error && of && !result && <ErrorNotice error={counted.error} />}
        <div class="exclusion-result" role="status">
          {result ? (
            <>
              <p>
                <strong>{text.result(result.selected, selected.length, result.others)}</strong>
              </p>
              <code class="break">{result.query}</code>
            </>
          ) : (
            <p class="muted">{chosen.length ? common.loading : text.choose}</p>
          )}
        </div>
      </div>
    </Dialog>
  );
}

// suggested returns the terms that are chosen at first: those that remove hardly any other posts.
function suggested({ terms, posts }: ExclusionResponse, selected: number): string[] {
  return terms.filter((t) => t.others <= 0.001 * posts && t.selected >= Math.min(2, selected)).map((t) => t.term).slice(0, 3);
}

function Term({ name, note, on, set }: { name: string; note: string; on: boolean; set: (term: string, on: boolean) => void }) {
  return (
    <Checkbox
      label={
        <span class="spread">
          <span class="break">{name}</span> <span class="muted small num">{note}</span>
        </span>
      }
      checked={on}
      onChange={(on) => set(name, on)}
    />
  );
}
