import { call } from "../lib/api";
import { number } from "../lib/format";
import { useDebounced, useLoad } from "../lib/load";
import { offsetOf } from "../lib/query";
import { addTerm, alternatives, excludeTerm, readForm } from "../lib/queryform";
import type { QueryForm, RelatedTerm, Suggestions, UsedTerm } from "../lib/types";
import { Popover } from "./popover";
import { showError } from "./toast";
import { common } from "../strings/common";

const text = common.querySuggestions;

// Criteria are the fields of the request for suggestions except for the query, for example the team.
export type SuggestionCriteria = Record<string, unknown>;

// QuerySuggestions says which words of a valid query no post has, suggests similar ones, and lists
// related words. Its space is reserved, so that nothing moves when they arrive.
export function QuerySuggestions({ query, valid, criteria, onChange }: { query: string; valid: boolean; criteria: SuggestionCriteria; onChange: (query: string) => void }) {
  const request = useDebounced(valid ? JSON.stringify({ ...criteria, keywords: query }) : "", 500);
  const { data } = useLoad(request || null, async (signal) => {
    const [found, { form }] = await Promise.all([call<Suggestions>("POST", "/manage/v1/query/suggestions", { body: JSON.parse(request), signal }), readForm(query)]);
    return { ...found, form, query };
  });
  const current = data?.query === query ? data : undefined; // the positions of terms are those of the query
  return (
    <div class="suggestions" role="status" aria-label={text.label}>
      {current && valid && (
        <>
          <Missing terms={current.terms.filter((t) => t.posts === 0)} query={query} onChange={onChange} />
          <Related terms={current.related} form={current.form} query={query} onChange={onChange} />
        </>
      )}
    </div>
  );
}

const maxMissing = 5;
const maxRelated = 8;

// Missing lists the words and phrases that no post has.
function Missing({ terms, query, onChange }: { terms: UsedTerm[]; query: string; onChange: (query: string) => void }) {
  if (!terms.length) return null;
  const replace = (t: UsedTerm, by: string) => {
    const from = offsetOf(query, t.position);
    onChange(query.slice(0, from) + by + query.slice(offsetOf(query, t.position + t.length)));
  };
  return (
    <ul class="plain">
      {terms.slice(0, maxMissing).map((t) => (
        <li key={t.position}>
          {text.none(t.text)}{" "}
          {t.similar.length > 0 && (
            <>
              {text.didYouMean}{" "}
              {t.similar.map((s) => (
                <span key={s.text}>
                  <button type="button" class="linklike" title={text.posts(s.posts)} aria-label={text.replace(t.text, s.text, s.posts)} onClick={() => replace(t, s.text)}>
                    {s.text}
                  </button>{" "}
                  <span class="muted small">({number(s.posts)})</span>{" "}
                </span>
              ))}
            </>
          )}
        </li>
      ))}
      {terms.length > maxMissing && <li class="muted">{text.more(terms.length - maxMissing)}</li>}
    </ul>
  );
}

// Related lists related words, each with buttons that add it to the query or exclude it.
function Related({ terms, form, query, onChange }: { terms: RelatedTerm[]; form: QueryForm | null; query: string; onChange: (query: string) => void }) {
  if (!terms.length) return null;
  const groups = form ? alternatives(form) : [];
  const apply = (changed: Promise<string>) => changed.then(onChange, showError);
  return (
    <div class="row related">
      <span class="muted">{text.related}</span>
      {terms.slice(0, maxRelated).map((t) => (
        <span key={t.text} class="chip">
          <span class="clip" title={text.relatedTitle(t.posts, t.expected)}>
            {t.text}
          </span>
          {groups.length > 1 ? (
            <Popover button="+" label={text.add(t.text)} class="">
              {(close) => (
                <ul class="options menu">
                  {groups.map((g, i) => (
                    <li key={i}>
                      <button
                        type="button"
                        onClick={() => {
                          close();
                          apply(addTerm(query, form, i, t.text));
                        }}
                      >
                        {text.addTo(g)}
                      </button>
                    </li>
                  ))}
                </ul>
              )}
            </Popover>
          ) : (
            <button type="button" aria-label={text.add(t.text)} title={text.add(t.text)} onClick={() => apply(addTerm(query, form, 0, t.text))}>
              +
            </button>
          )}
          <button type="button" aria-label={text.exclude(t.text)} title={text.exclude(t.text)} onClick={() => apply(excludeTerm(query, form, t.text))}>
            −
          </button>
        </span>
      ))}
    </div>
  );
}
