import { useState } from "preact/hooks";
import { patch, post, remove } from "../lib/api";
import { annotatedDays } from "../lib/annotations";
import { addDays } from "../lib/format";
import type { Annotation } from "../lib/types";
import { SelectField, TextField } from "./basics";
import { Confirm } from "./dialog";
import { FormDialog } from "./form";
import { Icon } from "./icon";
import { common } from "../strings/common";
import { annotations as text } from "../strings/marks";

// An AnnotationEditor is what editing the annotations on a chart needs. Without it, they can only be
// read.
export interface AnnotationEditor {
  monitor: number;
  team: number;
  onChanged: () => void;
}

const listed = 5; // annotations that the list shows at first

// AnnotationList lists the annotations of a chart by number, as the pins of the chart show them.
export function AnnotationList({ list, editor }: { list: Annotation[]; editor?: AnnotationEditor }) {
  const [all, setAll] = useState(false);
  const [editing, setEditing] = useState<Annotation | null>(null);
  const [removing, setRemoving] = useState<Annotation | null>(null);
  if (list.length === 0) return null;
  return (
    <section class="annotations" aria-label={text.list}>
      <ol class="small">
        {(all ? list : list.slice(0, listed)).map((a, i) => (
          <li key={a.id} class="row nowrap-row top">
            <span class="pin num" aria-hidden="true">
              {i + 1}
            </span>
            <span class="break">
              <strong>{text.entry(annotatedDays(a), "")}</strong>
              {a.text}{" "}
              <span class="muted">
                {[editor && text.by(a.by), editor && a.monitor === null && text.ofTeam].filter(Boolean).join(" · ")}
              </span>
            </span>
            {editor && (
              <span class="row nowrap-row annotation-tools">
                <button type="button" class="button quiet tiny" aria-label={common.editItem(a.text)} title={common.actions.edit} onClick={() => setEditing(a)}>
                  <Icon name="edit" />
                </button>
                <button type="button" class="button quiet tiny" aria-label={common.deleteItem(a.text)} title={common.actions.delete} onClick={() => setRemoving(a)}>
                  <Icon name="trash" />
                </button>
              </span>
            )}
          </li>
        ))}
      </ol>
      {!all && list.length > listed && (
        <button type="button" class="linklike small" onClick={() => setAll(true)}>
          {text.more(list.length - listed)}
        </button>
      )}
      {editing && editor && <AnnotationDialog editor={editor} annotation={editing} days={editing} onClose={() => setEditing(null)} />}
      {removing && editor && (
        <Confirm
          title={text.confirmDelete}
          action={common.actions.delete}
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            await remove(`/manage/v1/annotations/${removing.id}`);
            editor.onChanged();
          }}
        >
          {text.deleteNote(removing.text)}
        </Confirm>
      )}
    </section>
  );
}

// AnnotateButton opens a dialog that adds an annotation to some days.
export function AnnotateButton({ editor, days }: { editor: AnnotationEditor; days: { start: string; end: string } }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button small" aria-label={text.add} title={text.addTitle} onClick={() => setOpen(true)}>
        <Icon name="flag" />
        <span class="not-phone">{text.add}</span>
      </button>
      {open && <AnnotationDialog editor={editor} days={days} onClose={() => setOpen(false)} />}
    </>
  );
}

// AnnotationDialog adds an annotation, or edits one. days and words are those to begin with.
export function AnnotationDialog({ editor, annotation, days, words: first = "", onClose }: { editor: AnnotationEditor; annotation?: Annotation; days: { start: string; end: string }; words?: string; onClose: () => void }) {
  const [words, setWords] = useState(annotation?.text ?? first);
  const [from, setFrom] = useState(days.start);
  const [last, setLast] = useState(addDays(days.end, -1));
  const [scope, setScope] = useState<"monitor" | "team">("monitor");
  const wrong = from !== "" && last !== "" && last < from;
  const save = async () => {
    const body = { start: from, end: addDays(last, 1), text: words.trim() };
    if (annotation) await patch(`/manage/v1/annotations/${annotation.id}`, body);
    else await post("/manage/v1/annotations", { ...body, ...(scope === "team" ? { team: editor.team } : { monitor: editor.monitor }) });
    editor.onChanged();
  };
  return (
    <FormDialog title={annotation ? text.editTitle : text.addTitle} action={common.actions.save} ready={words.trim() !== "" && from !== "" && last !== "" && !wrong} onSubmit={save} onClose={onClose}>
      <TextField label={text.text} value={words} onInput={setWords} hint={text.textHint} required />
      <div class="pair">
        <TextField label={text.from} type="date" value={from} onInput={setFrom} required />
        <TextField label={text.to} type="date" value={last} onInput={setLast} hint={text.toHint} error={wrong ? text.wrongOrder : undefined} required />
      </div>
      {!annotation && (
        <SelectField
          label={text.scope}
          value={scope}
          onChange={(s) => setScope(s as "monitor" | "team")}
          options={[
            { value: "monitor", name: text.monitor },
            { value: "team", name: text.team },
          ]}
        />
      )}
    </FormDialog>
  );
}
