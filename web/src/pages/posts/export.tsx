import { urlOf } from "../../lib/api";
import { plural } from "../../lib/format";
import type { View } from "../../lib/view";
import { Icon } from "../../components/icon";
import { Popover } from "../../components/popover";

const formats = [
  { id: "csv", name: "CSV", note: "for spreadsheets" },
  { id: "ndjson", name: "NDJSON", note: "one post a line, for programs and earshot import" },
];

// ExportMenu offers all posts of the view as a file.
export function ExportMenu({ id, view, total }: { id: string; view: View; total: number | undefined }) {
  const href = (format: string) => urlOf(`/manage/v1/monitors/${id}/export`, { start: view.start, end: view.end, filter: view.filterText, format });
  return (
    <Popover
      label="Export"
      right
      button={
        <>
          <Icon name="download" />
          Export
        </>
      }
    >
      {(close) => (
        <div class="export stack tight">
          <p>{total === undefined ? "All posts of this view" : plural(total, "post")}, with their whole text where it may be shown.</p>
          {formats.map((f) => (
            <div key={f.id}>
              <a href={href(f.id)} download onClick={() => setTimeout(close, 0)}>
                Download {f.name}
              </a>{" "}
              <span class="small muted">{f.note}</span>
            </div>
          ))}
          <p class="small muted">When posts of microblogs are among them, the audit log of the monitor records who exported them.</p>
        </div>
      )}
    </Popover>
  );
}
