import { type ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { call } from "../lib/api";
import { useDebounced, useLoad } from "../lib/load";
import { offsetOf, pairAt, tokens, type Token } from "../lib/query";
import { useQueryForm, type FormState, type PendingQuery } from "../lib/queryform";
import { useCommands } from "../lib/shortcuts";
import type { Lint, Remark } from "../lib/types";
import { ErrorNotice, Notice, SegmentedControl, Skeleton } from "./basics";
import { QueryFormFields } from "./queryform";
import { QueryHelp } from "./queryhelp";
import { QuerySuggestions, type SuggestionCriteria } from "./querysuggestions";
import { common } from "../strings/common";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  placeholder?: string;
  required?: boolean;
  error?: string; // shown below the field, for example if it is empty but required
  onLint?: (lint: Lint | null) => void; // receives the server's check of the current text, or null until there is one
  pending?: PendingQuery; // who saves the query waits for it
  suggestFor?: SuggestionCriteria; // shows suggestions for a query with these criteria
}

type Mode = "form" | "text";

const chosenMode = (): Mode => (localStorage.getItem("query editor") === "form" ? "form" : "text");

// QueryEditor edits a query as text, with syntax highlighting, errors and warnings while typing, and
// help, or as a form. It remembers the choice.
export function QueryEditor(props: Props) {
  const { value, onChange, onLint, suggestFor } = props;
  const [mode, setMode] = useState(chosenMode);
  const own = useRef<Promise<string> | null>(null);
  const pending = props.pending ?? own;
  const form = useQueryForm(value, mode === "form", onChange, pending);
  const checked = useLint(value);
  const lint = checked.text === value ? checked.lint : null;
  const latest = useRef(onLint);
  latest.current = onLint;
  useEffect(() => latest.current?.(lint), [lint, value]);
  const choose = (to: Mode) => {
    if (to === "form") localStorage.setItem("query editor", to);
    else localStorage.removeItem("query editor");
    pending.current = null;
    setMode(to);
  };
  useCommands([{ id: "query mode", name: common.queryForm.commands[mode], run: () => choose(mode === "form" ? "text" : "form") }]);
  const change = (query: string) => {
    pending.current = null;
    onChange(query);
  };
  const switcher = (
    <SegmentedControl
      small
      label={common.queryForm.mode}
      value={mode}
      options={[
        { value: "form", name: common.queryForm.asForm },
        { value: "text", name: common.queryForm.asText },
      ]}
      onChange={choose}
    />
  );
  return (
    <div class="stack tight">
      {mode === "form" ? <FormEditor {...props} state={form} switcher={switcher} onText={() => choose("text")} /> : <TextEditor {...props} onChange={change} checked={checked} switcher={switcher} />}
      {suggestFor && <QuerySuggestions query={value} valid={lint?.valid ?? false} criteria={suggestFor} onChange={change} />}
    </div>
  );
}

// FormEditor edits the query as a form, if it has one.
function FormEditor({ label, value, hint, error: refused, state: { form, reason, error, change }, switcher, onText }: Props & { state: FormState; switcher: ComponentChildren; onText: () => void }) {
  return (
    <fieldset class="field">
      <div class="spread query-head">
        <legend class="label">{label}</legend>
        {switcher}
      </div>
      {hint && <span class="hint">{hint}</span>}
      {form ? (
        <QueryFormFields form={form} onChange={change} />
      ) : reason ? (
        <Notice>
          <div class="spread">
            <span>{reason}</span>
            <button type="button" class="button small" onClick={onText}>
              {common.queryForm.editAsText}
            </button>
          </div>
        </Notice>
      ) : error ? null : (
        <Skeleton height="24rem" />
      )}
      {(error || refused) && (
        <span class="error" role="alert">
          {error?.message ?? refused}
        </span>
      )}
      <output class="small muted" aria-label={common.queryForm.written}>
        <code class="normal break">{value || common.queryForm.empty}</code>
      </output>
    </fieldset>
  );
}

// TextEditor is a text area for a query.
function TextEditor({ label, value, onChange, hint, placeholder, required, error: refused, checked: { lint, text: checked, error, retry }, switcher }: Props & { checked: CheckedQuery; switcher: ComponentChildren }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(-1);
  const invalid = lint !== null && !lint.valid && value.trim() !== "";
  // The reason for an error that appears while typing must not be below the edge of the screen, or
  // behind a bar there.
  const remarks = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (invalid && document.activeElement === field.current) remarks.current?.scrollIntoView({ block: "nearest" });
  }, [invalid]);
  const goTo = (position: number) => {
    const at = offsetOf(value, position);
    field.current?.focus();
    field.current?.setSelectionRange(at, at);
    setCaret(at);
  };
  const noteCaret = (e: Event) => {
    const t = e.currentTarget as HTMLTextAreaElement;
    setCaret(t.selectionStart === t.selectionEnd ? t.selectionStart : -1);
  };
  return (
    <div class="field">
      <div class="spread query-head">
        <label for={id}>{label}</label>
        {switcher}
      </div>
      <div class="query">
        <HighlightLayer text={value} caret={caret} errors={lint?.errors ?? []} warnings={lint?.warnings ?? []} checked={checked} />
        <textarea
          ref={field}
          id={id}
          value={value}
          placeholder={placeholder}
          required={required}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-invalid={invalid || refused ? true : undefined}
          aria-describedby={`${hint ? `${id}-hint ` : ""}${id}-remarks${refused ? ` ${id}-error` : ""}`}
          onInput={(e) => onChange(e.currentTarget.value)}
          onSelect={noteCaret}
          onKeyUp={noteCaret}
          onClick={noteCaret}
          onBlur={() => setCaret(-1)}
        />
      </div>
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {refused && (
        <span class="error" id={`${id}-error`} role="alert">
          {refused}
        </span>
      )}
      <div id={`${id}-remarks`} ref={remarks} role="status" class="remarks-box">
        {lint && value.trim() !== "" && <Remarks lint={lint} goTo={goTo} />}
        {error && <ErrorNotice error={new Error(common.queryEditor.checkFailed(error.message))} retry={retry} />}
      </div>
      <details class="small">
        <summary>{common.queryEditor.interpretation}</summary>
        {lint?.valid && value.trim() !== "" ? (
          <code class="normal break" tabIndex={0}>
            {lint.normal}
          </code>
        ) : (
          <p class="muted">{common.queryEditor.noInterpretation}</p>
        )}
      </details>
      <QueryHelp />
    </div>
  );
}

// A CheckedQuery is the server's check of a text.
interface CheckedQuery {
  lint: Lint | null; // null until there is one
  text: string;
  error?: Error;
  retry: () => void;
}

// useLint has the server check a query, once the user has paused typing.
function useLint(value: string): CheckedQuery {
  const text = useDebounced(value, 250);
  const { data, error, reload } = useLoad(text.trim() ? `lint ${text}` : null, async (signal) => ({ lint: await call<Lint>("POST", "/manage/v1/query/lint", { body: { query: text }, signal }), text }));
  return { ...(data ?? { lint: null, text: "" }), error, retry: reload };
}

const plain = new Set(["space", "word", "open", "close"]);
const maxHighlighted = 20_000; // characters; longer queries have no syntax highlighting, to keep typing fast

// HighlightLayer shows the highlighted query behind the transparent text area. Remarks about an
// earlier text stay as long as the text before them has not changed.
function HighlightLayer({ text, caret, errors, warnings, checked }: { text: string; caret: number; errors: Remark[]; warnings: Remark[]; checked: string }) {
  const list = useMemo(() => (text.length > maxHighlighted ? [] : tokens(text)), [text]);
  const pair = caret < 0 ? [] : pairAt(list, caret);
  const marked = useMemo(() => {
    const classes = new Map<Token, string>();
    for (const [remarks, name] of [[warnings, "unsure"], [errors, "wrong"]] as const) {
      for (const r of remarks) {
        const at = offsetOf(checked, r.position);
        if (text.slice(0, at) !== checked.slice(0, at)) continue;
        const token = list.find((t) => t.to > at) ?? list.at(-1);
        if (token) classes.set(token, name);
      }
    }
    return classes;
  }, [list, errors, warnings, checked]);
  return (
    <div class="layer" aria-hidden="true">
      {list.map((t) => {
        const look = `${plain.has(t.kind) ? "" : `q-${t.kind}`} ${marked.get(t) ?? ""} ${pair.includes(t) ? "paired" : ""}`.trim();
        const piece = text.slice(t.from, t.to);
        return look ? <span class={look}>{piece}</span> : piece;
      })}
      {list.length === 0 && text}
      {"\u200b"}
    </div>
  );
}

// Remarks lists errors and warnings, each with a button that moves the caret there.
function Remarks({ lint, goTo }: { lint: Lint; goTo: (position: number) => void }) {
  const rows = [...lint.errors.map((r) => ({ ...r, error: true })), ...lint.warnings.map((r) => ({ ...r, error: false }))];
  if (!rows.length) return null;
  return (
    <ul class="remarks">
      {rows.map((r) => (
        <li key={`${r.position} ${r.message}`}>
          <span class={`badge ${r.error ? "bad" : "warn"}`}>{r.error ? common.queryEditor.error : common.queryEditor.warning}</span>
          <span class="grow break">{r.message}</span>
          <button type="button" class="button quiet small" aria-label={common.queryEditor.goToCharacter(r.position)} onClick={() => goTo(r.position)}>
            {common.queryEditor.goTo}
          </button>
        </li>
      ))}
    </ul>
  );
}
