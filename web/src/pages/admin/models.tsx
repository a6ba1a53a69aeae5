import { useState } from "preact/hooks";
import { get, post } from "../../lib/api";
import { capitalize, number } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import type { Models, Progress } from "../../lib/types";
import { Card, Checkbox, ErrorNotice, ProgressBar, Skeleton } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { isBusy } from "../../components/monitorlayout";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";

const inferred: Record<string, string> = {
  sentiment: "sentiment and emotion",
  language: "the language",
  people: "gender and age of authors",
  places: "where posts were written",
  interests: "what authors are interested in",
  images: "what pictures show",
};

// ModelsTab lists the models that see posts, and has stored posts seen by the models of today.
export function ModelsTab() {
  const { data, error, reload } = useLoad("models", () => get<Models>("/manage/v1/models"));
  const [confirming, setConfirming] = useState(false);
  const busy = isBusy(data?.refresh);
  useInterval(busy ? 2000 : 0, reload);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="14rem" label="Loading the models" />;
  const names = Object.keys(data.versions).filter((name) => name !== "all").sort();
  return (
    <Card
      title="Models"
      note="They tell of each post what its text does not say itself. New posts are always seen by the models of today."
      tools={
        <button type="button" class="button" disabled={busy} onClick={() => setConfirming(true)}>
          Refresh stored posts
        </button>
      }
    >
      <div class="stack">
        <Rows label="List of models" head={["Model", "Tells", "Version"]}>
          {names.map((name) => (
            <tr key={name}>
              <td>{capitalize(name)}</td>
              <td class="muted">{inferred[name]}</td>
              <td>{data.versions[name]}</td>
            </tr>
          ))}
        </Rows>
        <ReinferProgress progress={data.refresh} />
      </div>
      {confirming && <ReinferDialog onClose={() => setConfirming(false)} onStarted={reload} />}
    </Card>
  );
}

function ReinferProgress({ progress: p }: { progress: Progress }) {
  if (p.state === "idle") return <p class="muted small">No stored posts are being refreshed.</p>;
  return (
    <div class="stack tight" role="status">
      <span>
        {p.state === "failed" ? "The refresh failed and will be tried again." : `Refreshing stored posts: ${number(p.done)} of ${number(p.total)}`}
        {p.message && <span class="muted"> {p.message}</span>}
      </span>
      <ProgressBar share={p.total ? p.done / p.total : 0} label="Stored posts refreshed" />
    </div>
  );
}

function ReinferDialog({ onClose, onStarted }: { onClose: () => void; onStarted: () => void }) {
  const [all, setAll] = useState(false);
  const confirm = async () => {
    await post("/manage/v1/models/refresh", {}, { all });
    toast("Stored posts are being refreshed.");
    onStarted();
  };
  return (
    <Confirm title="Refresh stored posts?" action="Refresh" danger={false} onConfirm={confirm} onClose={onClose}>
      <div class="stack tight">
        <p>Stored posts that older models have seen are seen by those of today. Numbers of the past can change. It may take hours; everything else goes on meanwhile, also after a restart.</p>
        <p>What a post or its uploader says stays, and so do the monitors it belongs to.</p>
        <Checkbox label="Also posts that the models of today have seen, after own models were changed" checked={all} onChange={setAll} />
      </div>
    </Confirm>
  );
}
