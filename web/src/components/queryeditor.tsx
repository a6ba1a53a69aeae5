import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { call } from "../lib/api";
import { useDebounced, useLoad } from "../lib/load";
import { offsetOf, pairAt, tokens, type Token } from "../lib/query";
import type { Lint, Remark } from "../lib/types";
import { ErrorNotice } from "./basics";
import { QueryHelp } from "./queryhelp";
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
}

// QueryEditor is a text area for a query, with syntax highlighting, errors and warnings while
// typing, and help.
export function QueryEditor({ label, value, onChange, hint, placeholder, required, error: refused, onLint }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(-1);
  const { lint, text: checked, error, retry } = useLint(value);
  const latest = useRef(onLint);
  latest.current = onLint;
  useEffect(() => latest.current?.(checked === value ? lint : null), [lint, checked, value]);
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
      <label for={id}>{label}</label>
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
      {lint?.valid && lint.normal && value.trim() !== "" && (
        <details class="small">
          <summary>{common.queryEditor.interpretation}</summary>
          <code class="normal break" tabIndex={0}>{lint.normal}</code>
        </details>
      )}
      <QueryHelp />
    </div>
  );
}

// useLint has the server check a query, once the user has paused typing. text is the query that was
// checked.
function useLint(value: string): { lint: Lint | null; text: string; error?: Error; retry: () => void } {
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
        const look = `${plain.has(t.kind) ? "" : `q-${t.kind}`} ${marked.get(t) ?? ""} ${pair.includes(t) ? "pair" : ""}`.trim();
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
