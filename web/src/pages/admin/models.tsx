import { useState } from "preact/hooks";
import { get, post } from "../../lib/api";
import { capitalize } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import type { Models, Progress } from "../../lib/types";
import { Card, Checkbox, ErrorNotice, ProgressBar, Skeleton } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { isBusy } from "../../components/monitorlayout";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { admin } from "../../strings/admin";

// ModelsTab lists the models, and runs the current ones on stored posts.
export function ModelsTab() {
  const { data, error, reload } = useLoad("models", () => get<Models>("/manage/v1/models"));
  const [confirming, setConfirming] = useState(false);
  const busy = isBusy(data?.refresh);
  useInterval(busy ? 2000 : 0, reload);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="14rem" label={admin.loadingModels} />;
  const names = Object.keys(data.versions).filter((name) => name !== "all").sort();
  return (
    <Card
      title={admin.tabs.models}
      note={admin.modelsNote}
      tools={
        <button type="button" class="button" disabled={busy} onClick={() => setConfirming(true)}>
          {admin.reprocess}
        </button>
      }
    >
      <div class="stack">
        <Rows stacked label={admin.modelList} head={admin.modelHead}>
          {names.map((name) => (
            <tr key={name}>
              <td>{admin.models[name]?.name ?? capitalize(name)}</td>
              <td class="muted">{admin.models[name]?.infers}</td>
              <td>{data.versions[name]}</td>
            </tr>
          ))}
        </Rows>
        <ReprocessProgress progress={data.refresh} />
      </div>
      {confirming && <ReprocessDialog onClose={() => setConfirming(false)} onStarted={reload} />}
    </Card>
  );
}

function ReprocessProgress({ progress: p }: { progress: Progress }) {
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

function ReprocessDialog({ onClose, onStarted }: { onClose: () => void; onStarted: () => void }) {
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
