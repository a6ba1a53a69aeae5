// A query as a form. The server reads and writes forms, so that the app does not know the query
// language.
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "./api";
import { useLoad } from "./load";
import type { BuiltQuery, FormResponse, QueryForm } from "./types";

export const readForm = (query: string) => post<FormResponse>("/manage/v1/query/form", { query });
export const buildQuery = async (form: QueryForm) => (await post<BuiltQuery>("/manage/v1/query/build", { form })).query;

// A PendingQuery is the query that the server is writing for a form, or null. It is rejected if the
// form has no query. Who saves a query waits for it.
export type PendingQuery = { current: Promise<string> | null };

export interface FormState {
  form: QueryForm | undefined; // undefined until it is read, or if there is none
  reason: string; // why the query has no form
  error: Error | undefined; // what is wrong with the form
  change: (form: QueryForm) => void;
}

// useQueryForm returns the form of a query while it is shown. It reads the query again when it
// changes in another way than by the form.
export function useQueryForm(query: string, shown: boolean, onChange: (query: string) => void, pending: PendingQuery): FormState {
  const [edited, setEdited] = useState<{ form: QueryForm; query: string; error?: Error } | null>(null);
  const latest = useRef(0);
  const own = edited?.query === query ? edited : null;
  const read = useLoad(shown && !own ? `form of ${query}` : null, () => readForm(query).then((r) => ({ ...r, query })));
  const current = read.data?.query === query ? read.data : undefined;
  const change = (form: QueryForm) => {
    const turn = ++latest.current;
    setEdited({ form, query });
    const built = buildQuery(form);
    pending.current = built;
    const settle = (text: string, error?: Error) => {
      if (turn !== latest.current) return;
      if (!error) pending.current = null;
      setEdited({ form, query: text, error });
      onChange(text);
    };
    built.then(
      (text) => settle(text),
      (error) => settle("", error), // a query that the form does not show must not be saved
    );
  };
  useEffect(() => {
    if (edited && !own) pending.current = null; // something else has replaced the query
  }, [query]);
  return { form: own?.form ?? current?.form ?? undefined, reason: own ? "" : (current?.reason ?? ""), error: own?.error ?? read.error, change };
}

const isEmpty = (f: QueryForm) => f.all.length + f.phrases.length + f.any.length + f.near.length === 0;

// alternatives returns the groups of a form that a term can be added to, so that more posts match.
export function alternatives(f: QueryForm): string[][] {
  const groups = f.any.filter((g) => g.length > 0);
  if (groups.length) return groups;
  return f.all.length + f.phrases.length === 1 && !f.near.length ? [[...f.all, ...f.phrases]] : [];
}

// withAlternative adds a term to one of the alternatives of a form.
export function withAlternative(f: QueryForm, group: number, term: string): QueryForm {
  const groups = alternatives(f).map((g, i) => (i === group && !g.includes(term) ? [...g, term] : g));
  return f.any.some((g) => g.length) ? { ...f, any: groups } : { ...f, all: [], phrases: [], any: groups };
}

// withoutTerm excludes a term.
export const withoutTerm = (f: QueryForm, term: string): QueryForm => (f.none.includes(term) || isEmpty(f) ? f : { ...f, none: [...f.none, term] });

const quoted = (term: string) => (/\s/.test(term) ? `"${term}"` : term);

// addTerm returns a query that also matches posts with a term, in a group of its form if it has one.
export async function addTerm(query: string, form: QueryForm | null, group: number, term: string): Promise<string> {
  return form && alternatives(form)[group] ? buildQuery(withAlternative(form, group, term)) : `(${query}) OR ${quoted(term)}`;
}

// excludeTerm returns a query that does not match posts with a term.
export async function excludeTerm(query: string, form: QueryForm | null, term: string): Promise<string> {
  return form ? buildQuery(withoutTerm(form, term)) : `(${query}) AND NOT ${quoted(term)}`;
}
