// Basic components of all pages.
import { type ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { percentChange } from "../lib/format";
import { ApiError } from "../lib/api";
import { useFrame } from "./frame";
import { common } from "../strings/common";
import { changeFromZero } from "../strings/format";

// PageHeader has the title of a page, a short description and its actions.
export function PageHeader({ title, lead, children, badge }: { title: string; lead?: ComponentChildren; children?: ComponentChildren; badge?: ComponentChildren }) {
  return (
    <header class="page-head">
      <div class="grow">
        <div class="row">
          <h1 tabIndex={-1}>{title}</h1>
          {badge}
        </div>
        {lead && <div class="lead">{lead}</div>}
      </div>
      {children && <div class="row">{children}</div>}
    </header>
  );
}

export function Card({ title, note, tools, children, class: more = "", label }: { title?: ComponentChildren; note?: ComponentChildren; tools?: ComponentChildren; children: ComponentChildren; class?: string; label?: string }) {
  const id = useId();
  const frame = useFrame();
  const heading = frame?.title ?? title;
  const notes = [frame?.note, note].filter(Boolean);
  const allTools = frame?.tools ? [tools, frame.tools] : tools;
  return (
    <section class={`card ${more}`} aria-labelledby={heading ? id : undefined} aria-label={heading ? undefined : label}>
      {(heading || allTools) && (
        <header>
          <div class="grow">
            <h2 id={id}>{heading}</h2>
            {notes.length > 0 && (
              <div class="note">
                {notes[0]}
                {notes[1] && <> · {notes[1]}</>}
              </div>
            )}
          </div>
          {allTools && <div class="row">{allTools}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export function Notice({ kind = "", children }: { kind?: "" | "good" | "bad" | "warn"; children: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>
      {children}
    </div>
  );
}

// EmptyState explains why a page has no content, and what to do about it.
export function EmptyState({ title, children, actions }: { title: string; children?: ComponentChildren; actions?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children && <div>{children}</div>}
      {actions && <div class="row">{actions}</div>}
    </div>
  );
}

// ErrorNotice shows an error, with buttons to try again or to undo what caused it. It does not
// offer to retry if the error is 404.
export function ErrorNotice({ error, retry, undo }: { error: Error; retry?: () => void; undo?: { name: string; act: () => void } }) {
  const notFound = error instanceof ApiError && error.status === 404;
  return (
    <div class="notice bad" role="alert">
      <div class="spread">
        <span class="break">{notFound ? common.errors.notFound(error.message.replace(/\.$/, "")) : error.message}</span>
        <span class="row">
          {undo && (
            <button type="button" class="button small" onClick={undo.act}>
              {undo.name}
            </button>
          )}
          {retry && !notFound && (
            <button type="button" class="button small" onClick={retry}>
              {common.actions.tryAgain}
            </button>
          )}
        </span>
      </div>
    </div>
  );
}

// Skeleton is a placeholder for content that is loading.
export function Skeleton({ height = "8rem", label = common.loading }: { height?: string; label?: string }) {
  return (
    <div class="skeleton" style={{ height }} role="status">
      <span class="sr">{label}</span>
    </div>
  );
}

// Delta shows the change from one number to another as a percentage, with an arrow. It has no color,
// because more posts may be good or bad news. plain shows only the percentage.
export function Delta({ now, before, plain }: { now: number; before: number | null | undefined; plain?: boolean }) {
  const text = percentChange(now, before);
  if (!text) return null;
  const tone = plain || text.startsWith("±") || text === changeFromZero ? "" : now > (before ?? 0) ? "up" : "down";
  return <span class={`delta ${tone}`}>{text}</span>;
}

type FieldProps = { label: string; hint?: ComponentChildren; error?: string; children: (id: string, describedBy: string | undefined) => ComponentChildren };

// Field is a control with its label, an optional hint and an optional error.
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, described)}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span class="error" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

// TextField is a field for one line of text.
export function TextField(props: { label: string; value: string; onInput: (value: string) => void; hint?: ComponentChildren; error?: string; type?: string; required?: boolean; autocomplete?: string; placeholder?: string; disabled?: boolean; min?: string | number; max?: string | number }) {
  const { label, value, onInput, hint, error, type = "text", ...rest } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(id, described) => (
        <input id={id} type={type as "text"} value={value} aria-describedby={described} aria-invalid={error ? true : undefined} onInput={(e) => onInput(e.currentTarget.value)} {...(rest as object)} />
      )}
    </Field>
  );
}

// SelectField is a field with a drop-down list.
export function SelectField(props: { label: string; value: string; onChange: (value: string) => void; options: { value: string; name: string }[]; hint?: ComponentChildren; disabled?: boolean }) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(id, described) => (
        <select id={id} value={props.value} aria-describedby={described} disabled={props.disabled} onChange={(e) => props.onChange(e.currentTarget.value)}>
          {props.options.map((o) => (
            <option key={o.value} value={o.value}>
              {o.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({ label, checked, onChange, disabled }: { label: ComponentChildren; checked: boolean; onChange: (checked: boolean) => void; disabled?: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} disabled={disabled} onChange={(e) => onChange(e.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

// SegmentedControl is a row of options, one of which is selected. It is hidden if there is no choice.
export function SegmentedControl<T extends string>({ label, value, options, onChange, small }: { label: string; value: T; options: { value: T; name: ComponentChildren }[]; onChange: (value: T) => void; small?: boolean }) {
  if (options.length < 2) return null;
  return (
    <div class={`seg ${small ? "small" : ""}`} role="group" aria-label={label}>
      {options.map((o) => (
        <button key={o.value} type="button" aria-pressed={o.value === value} onClick={() => onChange(o.value)}>
          {o.name}
        </button>
      ))}
    </div>
  );
}

// ProgressBar shows progress from 0 to 1.
export function ProgressBar({ share, label }: { share: number; label: string }) {
  const percent = Math.round(Math.max(0, Math.min(1, share)) * 100);
  return (
    <div class="meter" role="progressbar" aria-label={label} aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100}>
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}
