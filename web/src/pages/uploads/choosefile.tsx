import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "../../components/icon";

// ChooseFile takes a file that is dropped or chosen.
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
        aria-label="File with documents"
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.gz"
        onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          e.currentTarget.value = "";
          if (file) onFile(file);
        }}
      />
      <button type="button" class="button" onClick={() => input.current?.click()}>
        <Icon name="content" />
        Choose a file
      </button>
      <p class="muted">
        or drop it here: CSV with names in the first line, JSON lines, or a JSON list; also with gzip.
        <br />
        Nothing is sent before you say so.
      </p>
    </div>
  );
}
