import { useEffect, useRef, useState } from "preact/hooks";
import { number, percent, plural } from "../../lib/format";
import type { ListedContentSource } from "../../lib/types";
import { ProgressBar, Notice } from "../../components/basics";
import { Curl } from "../../components/curl";
import type { useJob } from "./job";
import { DeleteBatch } from "./recentuploads";
import { ReportTable } from "./report";
import type { Job, Report, UploadProgress } from "./send";

interface Props {
  job: ReturnType<typeof useJob>;
  what: Job;
  batch: string;
  source: ListedContentSource;
  onChanged: () => void;
}

const valid = (report: Report) => report.rows - report.problemCount;

// UploadSteps is the way of a file: check, upload, and what came of it.
export function UploadSteps({ job, what, batch, source, onChanged }: Props) {
  const { stage } = job;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that was pressed is gone: whoever goes by keyboard goes on here.
    if (stage.is !== "ready" && document.activeElement === document.body) box.current?.focus();
  }, [stage.is]);
  return (
    <div class="stack steps" ref={box} tabIndex={-1}>
      {stage.is === "ready" && <Ready error={stage.error} onCheck={() => job.startCheck(what)} />}
      {stage.is === "checking" && (
        <StepProgress label="Checking" share={stage.share} wait={job.wait} onStop={job.stop} text={stage.report ? `${plural(stage.report.rows, "row")} checked, ${number(stage.report.problemCount)} with problems` : "Reading the file"} />
      )}
      {stage.is === "checked" && <CheckResult report={stage.report} source={source} file={what.file.name} onUpload={() => job.startUpload(what, stage.report, batch)} />}
      {stage.is === "sending" && (
        <StepProgress label="Uploading" share={stage.sent.documents / valid(stage.report)} wait={job.wait} onStop={job.stop} text={`${number(stage.sent.documents)} of ${plural(valid(stage.report), "document")} uploaded`} />
      )}
      {stage.is === "stopped" && (
        <>
          <Notice kind="bad">
            <p>{stage.error ?? "You stopped the upload."}</p>
            <p>
              {plural(stage.sent.documents, "document went", "documents went")} in, {number(valid(stage.report) - stage.sent.documents)} did not.
            </p>
          </Notice>
          <div class="row">
            <button type="button" class="button primary" onClick={() => job.startUpload(what, stage.report, batch, stage.sent)}>
              Continue the upload
            </button>
          </div>
          {stage.sent.documents > 0 && <UploadedBatch {...{ batch, source, what, sent: stage.sent, onChanged }} />}
        </>
      )}
      {stage.is === "done" && (
        <>
          <Notice kind="good">
            {plural(stage.sent.documents, "document went", "documents went")} into {source.name}.{" "}
            {stage.report.problemCount > 0 ? `${plural(stage.report.problemCount, "row was", "rows were")} left out.` : "No row was left out."} They are counted in a moment.
          </Notice>
          {!!stage.sent.contracted && (
            <p class="muted">
              The contract allows {number(stage.sent.contracted)} documents in 24 hours; {number(stage.sent.used ?? 0)} are used.
            </p>
          )}
          <UploadedBatch {...{ batch, source, what, sent: stage.sent, onChanged }} />
          {stage.report.problemCount > 0 && <ReportTable report={stage.report} file={what.file.name} />}
        </>
      )}
    </div>
  );
}

function Ready({ error, onCheck }: { error?: string; onCheck: () => void }) {
  return (
    <>
      {error && <Notice kind="bad">{error}</Notice>}
      <div class="row">
        <button type="button" class="button primary" onClick={onCheck}>
          Check
        </button>
        <span class="muted small">Every row is checked; nothing is stored yet.</span>
      </div>
    </>
  );
}

// StepProgress shows how far a step is.
function StepProgress({ label, text, share, wait, onStop }: { label: string; text: string; share: number; wait: number; onStop: () => void }) {
  return (
    <div class="stack tight">
      <div class="spread">
        <span>
          {label} {percent(Math.min(1, share))} <span class="muted">· {text}</span>
        </span>
        <button type="button" class="button small" onClick={onStop}>
          Cancel
        </button>
      </div>
      <ProgressBar share={share} label={label} />
      {wait > 0 && <p class="muted small">The server is busy. It will be asked again in {plural(wait, "second")}.</p>}
    </div>
  );
}

// CheckResult tells what the check found and offers to upload what is right.
function CheckResult({ report, source, file, onUpload }: { report: Report; source: ListedContentSource; file: string; onUpload: () => void }) {
  const right = valid(report);
  return (
    <>
      <Notice kind={report.problemCount === 0 ? "good" : right === 0 ? "bad" : "warn"}>
        {report.problemCount === 0 ? `All ${plural(report.rows, "row")} can be uploaded.` : `${number(right)} of ${plural(report.rows, "row")} can be uploaded, ${number(report.problemCount)} cannot.`}
      </Notice>
      {report.problemCount > 0 && <ReportTable report={report} file={file} />}
      <div class="row">
        <button type="button" class="button primary" disabled={right === 0} onClick={onUpload}>
          {right === 1 ? "Upload the valid row" : `Upload the ${number(right)} valid rows`}
        </button>
        <span class="muted small">A document that {source.name} has already, with the same id, is replaced: uploading a file twice counts nothing twice.</span>
      </div>
    </>
  );
}

// UploadedBatch names the batch of an upload and offers to delete it again.
function UploadedBatch({ batch, source, what, sent, onChanged }: { batch: string; source: ListedContentSource; what: Job; sent: UploadProgress; onChanged: () => void }) {
  const [confirming, setConfirming] = useState(false);
  const [deleted, setDeleted] = useState(false);
  const upload = { source: source.id, sourceName: source.name, batch, file: what.file.name, documents: sent.documents, time: "" };
  return (
    <div class="stack tight">
      <span>{deleted ? "The documents of this batch are deleted:" : "The documents have this batch, by which they can be deleted together:"}</span>
      <Curl text={batch} label="Copy the batch" />
      {!deleted && (
        <div>
          <button type="button" class="button danger small" onClick={() => setConfirming(true)}>
            Delete this upload
          </button>
        </div>
      )}
      {confirming && (
        <DeleteBatch
          upload={upload}
          onClose={() => setConfirming(false)}
          onDeleted={() => {
            setDeleted(true);
            onChanged();
          }}
        />
      )}
    </div>
  );
}
