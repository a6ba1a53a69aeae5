import { useState } from "preact/hooks";
import { get } from "../../lib/api";
import { capitalize } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import type { Models } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { isBusy } from "../../components/monitorlayout";
import { ReprocessDialog, ReprocessProgress } from "../../components/reprocess";
import { Rows } from "../../components/table";
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
        {data.message && <p>{data.message}.</p>}
        <ReprocessProgress progress={data.refresh} />
      </div>
      {confirming && <ReprocessDialog onClose={() => setConfirming(false)} onStarted={reload} />}
    </Card>
  );
}
