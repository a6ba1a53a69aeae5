import { useState } from "preact/hooks";
import { get, put } from "../../lib/api";
import { number } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { Contract, UsageResponse } from "../../lib/types";
import { Card, ErrorNotice, ProgressBar, Notice, TextField, Skeleton } from "../../components/basics";
import { toast } from "../../components/toast";
import { admin } from "../../strings/admin";
import { common } from "../../strings/common";

// ContractTab edits the limits of the contract and shows the usage.
export function ContractTab() {
  const { data, error, reload } = useLoad("contract", async () => ({ contract: await get<Contract>("/manage/v1/contract"), usage: await get<UsageResponse>("/manage/v1/usage") }));
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="14rem" label={admin.loadingContract} />;
  const { queries, documents } = data.usage;
  return (
    <div class="columns">
      <div class="c6">
        <Card title={admin.limits} note={admin.limitsNote} class="fill">
          <Form key={JSON.stringify(data.contract)} contract={data.contract} onSaved={reload} />
        </Card>
      </div>
      <div class="c6">
        <Card title={admin.usage} class="fill">
          <div class="stack">
            <UsageMeter label={admin.documentsUsed} used={documents.today} limit={documents.limit} />
            <UsageMeter label={admin.analysesUsed(queries.periodStart)} used={queries.used} limit={queries.limit} />
          </div>
        </Card>
      </div>
    </div>
  );
}

function UsageMeter({ label, used, limit }: { label: string; used: number; limit: number }) {
  return (
    <div class="stack tight">
      <span class="muted">{label}</span>
      <span>
        <span class="figure small">{number(used)}</span> <span class="muted">{admin.usageOf(limit)}</span>
      </span>
      {limit > 0 && <ProgressBar share={used / limit} label={label} />}
    </div>
  );
}

function Form({ contract, onSaved }: { contract: Contract; onSaved: () => void }) {
  const [documents, setDocuments] = useState(String(contract.documentsPerDay));
  const [queries, setQueries] = useState(String(contract.queriesPerYear));
  const [start, setStart] = useState(contract.periodStart ?? "");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const ready = /^\d+$/.test(documents) && /^\d+$/.test(queries);
  const save = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      await put("/manage/v1/contract", { documentsPerDay: Number(documents), queriesPerYear: Number(queries), ...(start && { periodStart: start }) });
      toast(common.saved);
      onSaved();
    } catch (err) {
      setError((err as Error).message);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={save}>
      <div class="stack">
        {error && <Notice kind="bad">{error}</Notice>}
        <TextField label={admin.documentLimit} type="number" min={0} value={documents} onInput={setDocuments} hint={admin.documentLimitHint} />
        <TextField label={admin.analysisLimit} type="number" min={0} value={queries} onInput={setQueries} />
        <TextField label={admin.yearStart} type="date" value={start} onInput={setStart} hint={admin.yearStartHint} />
      </div>
      <footer>
        <button type="submit" class="button primary" disabled={busy || !ready}>
          {busy ? common.saving : admin.saveLimits}
        </button>
      </footer>
    </form>
  );
}
