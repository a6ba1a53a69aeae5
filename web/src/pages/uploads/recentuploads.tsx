import { useState } from "preact/hooks";
import { call } from "../../lib/api";
import { dateTime, number, plural } from "../../lib/format";
import type { ListedContentSource } from "../../lib/types";
import { Card } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { forget, recentUploads, type RecentUpload } from "./history";

// RecentUploads lists what was uploaded from this browser into some content sources, each of which can be deleted again.
export function RecentUploads({ sources, onChanged }: { sources: ListedContentSource[]; onChanged: () => void }) {
  const [deleting, setDeleting] = useState<RecentUpload | null>(null);
  const list = recentUploads().filter((r) => sources.some((s) => s.id === r.source));
  if (list.length === 0) return null;
  return (
    <Card title="Uploads from this browser" note="Times are those of this computer.">
      <Rows label="List of uploads" head={["File", "Content source", "Documents", "When", "Batch", <span class="sr">Actions</span>]}>
        {list.map((r) => (
          <tr key={r.batch}>
            <td class="break">{r.file}</td>
            <td class="break">{r.sourceName}</td>
            <td>{number(r.documents)}</td>
            <td class="nowrap">{dateTime(r.time)}</td>
            <td>
              <code class="break">{r.batch}</code>
            </td>
            <td class="right">
              <button type="button" class="button quiet small nowrap" aria-label={`Delete the documents of ${r.file}`} onClick={() => setDeleting(r)}>
                Delete
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      {deleting && <DeleteBatch upload={deleting} onClose={() => setDeleting(null)} onDeleted={onChanged} />}
    </Card>
  );
}

// DeleteBatch asks before the documents of an upload are deleted.
export function DeleteBatch({ upload, onClose, onDeleted }: { upload: RecentUpload; onClose: () => void; onDeleted: () => void }) {
  const confirm = async () => {
    await call("POST", "/api/content/delete", { query: { documentType: upload.source, batch: upload.batch } });
    forget((r) => r.batch === upload.batch);
    toast("The documents are being deleted. They are gone in a moment.");
    onDeleted();
  };
  return (
    <Confirm title={`Delete what came from ${upload.file}?`} action="Delete the documents" onConfirm={confirm} onClose={onClose}>
      Up to {plural(upload.documents, "document")} of this upload go out of {upload.sourceName}. Those that a later upload replaced stay. This cannot be undone.
    </Confirm>
  );
}
