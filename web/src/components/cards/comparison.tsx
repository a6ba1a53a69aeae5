import { fileDates, number, percent } from "../../lib/format";
import type { Comparison, ComparedRow, ShownCard } from "../../lib/types";
import { RowLabel } from "../../pages/compare/label";
import { hasShare, Change } from "../../pages/compare/totals";
import { Volumes } from "../../pages/compare/volume";
import { cards as text } from "../../strings/cards";
import { common } from "../../strings/common";

// ComparisonCard shows the posts of each row, its change from the earlier period and its share of
// voice above the chart of all rows.
export function ComparisonCard({ card, comparison: { rows }, removed }: { card: ShownCard; comparison: Comparison; removed: boolean }) {
  const earlier = card.earlier || "none";
  return (
    <Volumes rows={rows} file={`comparison-${fileDates(rows[0].requested.start, rows[0].requested.end)}`} earlier={earlier}>
      {removed && <p class="small muted">{text.someRemoved}</p>}
      <div class="card-table">
        <table>
          <thead>
            <tr>
              <th scope="col">{text.columns.row}</th>
              <th scope="col" class="right">{common.words.posts}</th>
              {earlier !== "none" && <th scope="col" class="right">{text.columns.change}</th>}
              <th scope="col" class="right">{text.columns.share}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r, i) => (
              <Row key={i} r={r} rows={rows} position={i} compared={earlier !== "none"} />
            ))}
          </tbody>
        </table>
      </div>
    </Volumes>
  );
}

function Row({ r, rows, position, compared }: { r: ComparedRow; rows: ComparedRow[]; position: number; compared: boolean }) {
  return (
    <tr>
      <th scope="row">
        <RowLabel label={r.label} position={position} />
      </th>
      <td class="right" data-value={r.posts}>{number(r.posts)}</td>
      {compared && (
        <td class="right">
          <Change r={r} short />
        </td>
      )}
      <td class="right">{hasShare(r, rows) ? percent(r.share) : "–"}</td>
    </tr>
  );
}
