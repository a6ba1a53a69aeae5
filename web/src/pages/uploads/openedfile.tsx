import { useEffect, useMemo, useState } from "preact/hooks";
import { Notice } from "../../components/basics";
import { guessFormat } from "./dates";
import { columnOf, customCount, guessMapping, maxCustomFields, type Plan } from "./fields";
import { useJob } from "./job";
import { MappingTable } from "./mapping";
import { Preview } from "./preview";
import type { Sample } from "./read";
import { newBatch, remember } from "./history";
import type { Job } from "./send";
import { UploadSteps } from "./steps";
import type { ContentSourceInfo } from "../../lib/types";
import { uploads } from "../../strings/uploads";

function initialPlan(sample: Sample): Plan {
  const mapping = guessMapping(sample.columns, sample.rows);
  return { mapping, dates: guessFormat(datesOf(sample, mapping)), zone: "UTC" };
}

function datesOf(sample: Sample, mapping: Plan["mapping"]): string[] {
  const column = columnOf(mapping, "date");
  return column ? sample.rows.map((row) => row.values[column]).filter(Boolean) : [];
}

// validate returns what is missing from a plan, or "".
function validate(plan: Plan): string {
  if (!columnOf(plan.mapping, "contents")) return uploads.missing.contents;
  if (!columnOf(plan.mapping, "date")) return uploads.missing.date;
  if (customCount(plan.mapping) > maxCustomFields) return uploads.missing.customFields(maxCustomFields);
  return "";
}

// OpenedFile maps the columns of a file, previews the documents, and then checks and uploads them.
// A change of the mapping requires a new check.
export function OpenedFile({ file, sample, source, team, onBusy, onChanged }: { file: File; sample: Sample; source: ContentSourceInfo; team: number; onBusy: (busy: boolean) => void; onChanged: () => void }) {
  const [plan, setPlan] = useState(() => initialPlan(sample));
  const batch = useMemo(() => newBatch(file.name), [file]);
  const note = (documents: number) => remember({ source: source.id, sourceName: source.name, batch, file: file.name, documents, time: new Date().toISOString() });
  const job = useJob((sent) => note(sent.documents));
  const { stage } = job;
  const busy = stage.is === "checking" || stage.is === "sending";
  useEffect(() => onBusy(busy), [busy]);
  useEffect(() => {
    if (stage.is === "done" || stage.is === "stopped") onChanged();
  }, [stage.is]);
  const change = (next: Plan) => {
    const otherColumn = columnOf(next.mapping, "date") !== columnOf(plan.mapping, "date");
    setPlan(otherColumn ? { ...next, dates: guessFormat(datesOf(sample, next.mapping)) } : next);
    job.reset();
  };
  const problem = validate(plan);
  const what: Job = { file, encoding: sample.encoding, plan, source: source.id };
  const open = stage.is === "ready" || stage.is === "checked";
  return (
    <>
      {open && <MappingTable sample={sample} plan={plan} onChange={change} />}
      {open && <Preview sample={sample} plan={plan} />}
      {problem && <Notice kind="warn">{problem}</Notice>}
      {!problem && <UploadSteps job={job} what={what} batch={batch} source={source} team={team} onChanged={onChanged} />}
    </>
  );
}
