import { useState } from "preact/hooks";
import { bytes } from "../../lib/format";
import type { ContentSourceInfo } from "../../lib/types";
import { Card, Notice, SelectField, Skeleton } from "../../components/basics";
import { ChooseFile } from "./choosefile";
import { CountingMonitors, useCountingMonitors } from "./monitors";
import { OpenedFile } from "./openedfile";
import { uploads } from "../../strings/uploads";
import { encodings, readSample, type Encoding, type Sample } from "./read";

interface Opened {
  file: File;
  encoding?: Encoding; // set if the user chose one
  sample?: Sample; // undefined while the file is read
  error?: string;
}

// Upload uploads a file with documents to a content source.
export function Upload({ sources, team, busy, onBusy, onChanged }: { sources: ContentSourceInfo[]; team: number; busy: boolean; onBusy: (busy: boolean) => void; onChanged: () => void }) {
  const [id, setID] = useState("");
  const [opened, setOpened] = useState<Opened | null>(null);
  const source = sources.find((s) => String(s.id) === id) ?? sources[0];
  const monitors = useCountingMonitors(team, source);
  const open = async (file: File, encoding?: Encoding) => {
    setOpened({ file, encoding });
    try {
      const sample = await readSample(file, encoding);
      setOpened({ file, encoding, sample, error: sample.rows.length ? undefined : uploads.noDocuments });
    } catch (err) {
      setOpened({ file, encoding, error: (err as Error).message });
    }
  };
  return (
    <Card title={uploads.uploadFile}>
      <div class="stack">
        <div class="upload-choices">
          <SelectField label={uploads.uploadTo} value={String(source.id)} disabled={busy} options={sources.map((s) => ({ value: String(s.id), name: s.name }))} onChange={setID} />
          {opened && (
            <SelectField label={uploads.encoding} value={opened.encoding ?? opened.sample?.encoding ?? "utf-8"} disabled={busy} options={encodings} onChange={(e) => open(opened.file, e as Encoding)} />
          )}
        </div>
        {!opened && <CountingMonitors monitors={monitors} source={source} />}
        {!opened && <ChooseFile onFile={open} />}
        {opened && (
          <div class="spread">
            <span class="break">
              <strong>{opened.file.name}</strong> <span class="muted">{bytes(opened.file.size)}</span>
            </span>
            <button type="button" class="button small" disabled={busy} onClick={() => setOpened(null)}>
              {uploads.chooseAnother}
            </button>
          </div>
        )}
        {opened?.error && <Notice kind="bad">{opened.error}</Notice>}
        {opened && !opened.sample && !opened.error && <Skeleton label={uploads.readingFile} />}
        {opened?.sample && !opened.error && (
          <OpenedFile key={`${opened.file.name} ${opened.sample.encoding} ${source.id}`} file={opened.file} sample={opened.sample} source={source} team={team} onBusy={onBusy} onChanged={onChanged} />
        )}
      </div>
    </Card>
  );
}
