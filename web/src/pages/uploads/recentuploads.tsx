import { useState } from "preact/hooks";
import { call } from "../../lib/api";
import { dateTime, number } from "../../lib/format";
import type { ContentSourceInfo } from "../../lib/types";
import { Card } from "../../components/basics";
import { Confirm } from "../../components/dialog";
import { Rows } from "../../components/table";
import { toast } from "../../components/toast";
import { common } from "../../strings/common";
import { uploads } from "../../strings/uploads";
import { forget, recentUploads, type RecentUpload } from "./history";

// RecentUploads lists the uploads from this browser to the given content sources, and deletes them.
export function RecentUploads({ sources, onChanged }: { sources: ContentSourceInfo[]; onChanged: () => void }) {
  const [deleting, setDeleting] = useState<RecentUpload | null>(null);
  const list = recentUploads().filter((r) => sources.some((s) => s.id === r.source));
  if (list.length === 0) return null;
  return (
    <Card title={uploads.recentTitle} note={uploads.recentNote}>
      <Rows label={uploads.recentList} head={[...uploads.recentHead, <span class="sr">{uploads.actions}</span>]}>
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
              <button type="button" class="button quiet small nowrap" aria-label={uploads.deleteDocumentsOf(r.file)} onClick={() => setDeleting(r)}>
                {common.actions.delete}
              </button>
            </td>
          </tr>
        ))}
      </Rows>
      {deleting && <DeleteBatch upload={deleting} onClose={() => setDeleting(null)} onDeleted={onChanged} />}
    </Card>
  );
}

// DeleteBatch confirms and deletes the documents of an upload.
export function DeleteBatch({ upload, onClose, onDeleted }: { upload: RecentUpload; onClose: () => void; onDeleted: () => void }) {
  const confirm = async () => {
    await call("POST", "/api/content/delete", { query: { documentType: upload.source, batch: upload.batch } });
    forget((r) => r.batch === upload.batch);
    toast(uploads.deletingBatch);
    onDeleted();
  };
  return (
    <Confirm title={uploads.deleteBatchTitle(upload.file)} action={uploads.deleteDocuments} onConfirm={confirm} onClose={onClose}>
      {uploads.deleteBatchText(upload.documents, upload.sourceName)}
    </Confirm>
  );
}
