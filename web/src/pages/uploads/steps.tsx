import { useEffect, useRef, useState } from "preact/hooks";
import { percent } from "../../lib/format";
import type { ContentSourceInfo } from "../../lib/types";
import { ProgressBar, Notice } from "../../components/basics";
import { Curl } from "../../components/curl";
import { common } from "../../strings/common";
import { uploads } from "../../strings/uploads";
import type { useJob } from "./job";
import { NextSteps, useCountingMonitors } from "./monitors";
import { DeleteBatch } from "./recentuploads";
import { ReportTable } from "./report";
import type { Job, Report, UploadProgress } from "./send";

interface Props {
  job: ReturnType<typeof useJob>;
  what: Job;
  batch: string;
  source: ContentSourceInfo;
  team: number;
  onChanged: () => void;
}

const valid = (report: Report) => report.rows - report.problemCount;

// UploadSteps shows the steps of an upload: check, upload, result.
export function UploadSteps({ job, what, batch, source, team, onChanged }: Props) {
  const monitors = useCountingMonitors(team, source);
  const { stage } = job;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that had the focus is gone. Keep keyboard users here.
    if (stage.is !== "ready" && document.activeElement === document.body) box.current?.focus();
  }, [stage.is]);
  return (
    <div class="stack steps" ref={box} tabIndex={-1}>
      {stage.is === "ready" && <Ready error={stage.error} onCheck={() => job.startCheck(what)} />}
      {stage.is === "checking" && (
        <StepProgress label={uploads.checking} share={stage.share} wait={job.wait} onStop={job.stop} text={stage.report ? uploads.checked(stage.report.rows, stage.report.problemCount) : uploads.readingFile} />
      )}
      {stage.is === "checked" && <CheckResult report={stage.report} source={source} file={what.file.name} onUpload={() => job.startUpload(what, stage.report, batch)} />}
      {stage.is === "sending" && (
        <StepProgress label={uploads.uploading} share={stage.sent.documents / valid(stage.report)} wait={job.wait} onStop={job.stop} text={uploads.uploadedOf(stage.sent.documents, valid(stage.report))} />
      )}
      {stage.is === "stopped" && (
        <>
          <Notice kind="bad">
            <p>{stage.error ?? uploads.stopped}</p>
            <p>{uploads.stoppedCounts(stage.sent.documents, valid(stage.report) - stage.sent.documents)}</p>
          </Notice>
          <div class="row">
            <button type="button" class="button primary" onClick={() => job.startUpload(what, stage.report, batch, stage.sent)}>
              {uploads.continueUpload}
            </button>
          </div>
          {stage.sent.documents > 0 && <UploadedBatch {...{ batch, source, what, sent: stage.sent, onChanged }} />}
        </>
      )}
      {stage.is === "done" && (
        <>
          <Notice kind="good">{uploads.done(stage.sent.documents, source.name, stage.report.problemCount)}</Notice>
          <NextSteps monitors={monitors} source={source} team={team} start={stage.report.first} />
          {!!stage.sent.contracted && <p class="muted">{uploads.contract(stage.sent.contracted, stage.sent.used ?? 0)}</p>}
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
          {uploads.check}
        </button>
        <span class="muted small">{uploads.checkNote}</span>
      </div>
    </>
  );
}

// StepProgress shows the progress of a step.
function StepProgress({ label, text, share, wait, onStop }: { label: string; text: string; share: number; wait: number; onStop: () => void }) {
  return (
    <div class="stack tight">
      <div class="spread">
        <span>
          {label} {percent(Math.min(1, share))} <span class="muted">· {text}</span>
        </span>
        <button type="button" class="button small" onClick={onStop}>
          {common.actions.cancel}
        </button>
      </div>
      <ProgressBar share={share} label={label} />
      {wait > 0 && <p class="muted small">{uploads.serverBusy(wait)}</p>}
    </div>
  );
}

// CheckResult shows the result of the check and uploads the valid rows.
function CheckResult({ report, source, file, onUpload }: { report: Report; source: ContentSourceInfo; file: string; onUpload: () => void }) {
  const ready = valid(report);
  return (
    <>
      <Notice kind={report.problemCount === 0 ? "good" : ready === 0 ? "bad" : "warn"}>
        {report.problemCount === 0 ? uploads.allValid(report.rows) : uploads.someValid(ready, report.rows, report.problemCount)}
      </Notice>
      {report.problemCount > 0 && <ReportTable report={report} file={file} />}
      <div class="row">
        <button type="button" class="button primary" disabled={ready === 0} onClick={onUpload}>
          {uploads.upload(ready)}
        </button>
        <span class="muted small">{uploads.uploadNote(source.name)}</span>
      </div>
    </>
  );
}

// UploadedBatch shows the batch of an upload, and deletes it.
function UploadedBatch({ batch, source, what, sent, onChanged }: { batch: string; source: ContentSourceInfo; what: Job; sent: UploadProgress; onChanged: () => void }) {
  const [confirming, setConfirming] = useState(false);
  const [deleted, setDeleted] = useState(false);
  const upload = { source: source.id, sourceName: source.name, batch, file: what.file.name, documents: sent.documents, time: "" };
  return (
    <div class="stack tight">
      <span>{deleted ? uploads.batchDeleted : uploads.batch}</span>
      <Curl text={batch} label={uploads.copyBatch} />
      {!deleted && (
        <div>
          <button type="button" class="button danger small" onClick={() => setConfirming(true)}>
            {uploads.deleteUpload}
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
