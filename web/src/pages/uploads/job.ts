import { useEffect, useRef, useState } from "preact/hooks";
import { isAborted } from "../../lib/api";
import { guardLeaving } from "../../lib/router";
import { uploads } from "../../strings/uploads";
import { check, upload, type Job, type Report, type UploadProgress } from "./send";

// A Stage is the state of a file: first it is checked, then its valid rows are uploaded.
export type Stage =
  | { is: "ready"; error?: string }
  | { is: "checking"; report?: Report; share: number }
  | { is: "checked"; report: Report }
  | { is: "sending"; report: Report; sent: UploadProgress }
  | { is: "stopped"; report: Report; sent: UploadProgress; error?: string }
  | { is: "done"; report: Report; sent: UploadProgress };

// useJob checks and uploads a file. Both steps can be stopped; a stopped upload can be continued.
export function useJob(onSent: (sent: UploadProgress) => void) {
  const [stage, setStage] = useState<Stage>({ is: "ready" });
  const [wait, setWait] = useState(0);
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);
  useEffect(() => {
    if (stage.is !== "sending") return;
    const ask = (e: BeforeUnloadEvent) => e.preventDefault();
    window.addEventListener("beforeunload", ask);
    const free = guardLeaving(() => window.confirm(uploads.leave));
    return () => {
      window.removeEventListener("beforeunload", ask);
      free();
    };
  }, [stage.is]);
  const watch = () => {
    control.current = new AbortController();
    return { signal: control.current.signal, onWait: setWait };
  };
  const startCheck = async (job: Job) => {
    setStage({ is: "checking", share: 0 });
    try {
      const report = await check(job, watch(), (report, share) => setStage({ is: "checking", report, share }));
      setStage({ is: "checked", report });
    } catch (err) {
      setStage({ is: "ready", error: isAborted(err) ? undefined : (err as Error).message });
    }
    setWait(0);
  };
  const startUpload = async (job: Job, report: Report, batch: string, before: UploadProgress = { chunks: 0, documents: 0 }) => {
    let sent = before;
    setStage({ is: "sending", report, sent });
    try {
      sent = await upload(job, report.refused, batch, before, watch(), (now) => {
        sent = now;
        setStage({ is: "sending", report, sent });
        onSent(sent);
      });
      setStage({ is: "done", report, sent });
    } catch (err) {
      setStage({ is: "stopped", report, sent, error: isAborted(err) ? undefined : (err as Error).message });
    }
    setWait(0);
  };
  return { stage, wait, startCheck, startUpload, stop: () => control.current?.abort(), reset: () => setStage({ is: "ready" }) };
}
