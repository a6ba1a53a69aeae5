import { useRef } from "preact/hooks";
import { post } from "../../lib/api";
import { useDebounced, useLoad } from "../../lib/load";
import type { ChannelKind, TemplateExample } from "../../lib/types";
import { Field } from "../../components/basics";
import { channels as text } from "../../strings/channels";

const fields = ["{{.Title}}", "{{.Text}}", "{{.Link}}", "{{.Severity}}", "{{range .Facts}}{{.Name}}: {{.Value}}\n{{end}}", "{{range .Posts}}{{.Author}}: {{clip 200 .Text}} {{.URL}}\n{{end}}"];

// TemplateField edits the text of a channel's messages, and shows what an example looks like.
export function TemplateField({ kind, name, value, onInput }: { kind: ChannelKind; name: string; value: string; onInput: (value: string) => void }) {
  const input = useRef<HTMLTextAreaElement>(null);
  const insert = (field: string) => {
    const { selectionStart: from, selectionEnd: to } = input.current!;
    onInput(value.slice(0, from) + field + value.slice(to));
    input.current!.focus();
  };
  return (
    <div class="stack tight">
      <Field label={text.template} hint={text.templateHint}>
        {(id, described) => <textarea ref={input} id={id} class="mono" rows={4} maxLength={4000} value={value} aria-describedby={described} onInput={(e) => onInput(e.currentTarget.value)} />}
      </Field>
      <div class="row template-fields" role="group" aria-label={text.templateFields}>
        <span class="small muted">{text.templateFields}</span>
        {fields.map((field, i) => (
          <button key={field} type="button" class="button small" title={field} onClick={() => insert(field)}>
            {text.templateFieldNames[i]}
          </button>
        ))}
      </div>
      {value.trim() && <TemplatePreview kind={kind} name={name} template={value} />}
    </div>
  );
}

// TemplatePreview shows the text of an example message, or what is wrong with the template.
function TemplatePreview({ kind, name, template }: { kind: ChannelKind; name: string; template: string }) {
  const asked = useDebounced(JSON.stringify({ kind, name, template }), 300);
  const { data, error } = useLoad(asked, () => post<TemplateExample>("/manage/v1/channels/template", JSON.parse(asked)));
  return (
    <div class="field">
      <span class="label">{text.templatePreview}</span>
      {error ? (
        <p class="small bad break" role="alert">
          {error.message}
        </p>
      ) : (
        <pre class="template-preview" tabIndex={0} role="region" aria-label={text.templatePreview}>
          {data?.text}
        </pre>
      )}
    </div>
  );
}
