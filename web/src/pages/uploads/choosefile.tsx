import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "../../components/icon";
import { uploads } from "../../strings/uploads";

// ChooseFile accepts a file that is dropped or chosen in the browser's dialog.
export function ChooseFile({ onFile }: { onFile: (file: File) => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const drop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    const file = e.dataTransfer?.files[0];
    if (file) onFile(file);
  };
  return (
    <div
      class={`drop ${over ? "over" : ""}`}
      onDragOver={(e) => {
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        ref={input}
        id={id}
        type="file"
        class="sr"
        tabIndex={-1}
        aria-label={uploads.file}
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.gz"
        onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          e.currentTarget.value = "";
          if (file) onFile(file);
        }}
      />
      <button type="button" class="button" onClick={() => input.current?.click()}>
        <Icon name="content" />
        {uploads.chooseFile}
      </button>
      <p class="muted">
        {uploads.dropHere}
        <br />
        {uploads.notSentYet}
      </p>
    </div>
  );
}
