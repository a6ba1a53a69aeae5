import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { useUser } from "../lib/session";
import type { Progress } from "../lib/types";
import { Checkbox, Notice, ProgressBar } from "./basics";
import { Confirm } from "./dialog";
import { toast } from "./toast";
import { admin } from "../strings/admin";
import { common } from "../strings/common";

// OutdatedLabels says how many posts an older version of the models labeled. Administrators get a button
// that runs the current models on stored posts.
export function OutdatedLabels({ outdated, posts, onStarted }: { outdated: number; posts: number; onStarted: () => void }) {
  const user = useUser();
  const [confirming, setConfirming] = useState(false);
  return (
    <Notice kind="warn">
      <div class="spread">
        <span>{common.outdatedLabels(outdated, posts)}</span>
        {user.admin && (
          <button type="button" class="button small" onClick={() => setConfirming(true)}>
            {admin.reprocess}
          </button>
        )}
      </div>
      {confirming && <ReprocessDialog onClose={() => setConfirming(false)} onStarted={onStarted} />}
    </Notice>
  );
}

export function ReprocessProgress({ progress: p }: { progress: Progress }) {
  if (p.state === "idle") return <p class="muted small">{admin.reprocessIdle}</p>;
  return (
    <div class="stack tight" role="status">
      <span>
        {p.state === "failed" ? admin.reprocessFailed : admin.reprocessProgress(p.done, p.total)}
        {p.message && <span class="muted"> {p.message}</span>}
      </span>
      <ProgressBar share={p.total ? p.done / p.total : 0} label={admin.reprocessBar} />
    </div>
  );
}

export function ReprocessDialog({ onClose, onStarted }: { onClose: () => void; onStarted: () => void }) {
  const [all, setAll] = useState(false);
  const confirm = async () => {
    await post("/manage/v1/models/refresh", {}, { all });
    toast(admin.reprocessStarted);
    onStarted();
  };
  return (
    <Confirm title={admin.reprocessTitle} action={admin.reprocessAction} danger={false} onConfirm={confirm} onClose={onClose}>
      <div class="stack tight">
        <p>{admin.reprocessText}</p>
        <p>{admin.reprocessKeeps}</p>
        <Checkbox label={admin.reprocessAll} checked={all} onChange={setAll} />
      </div>
    </Confirm>
  );
}
