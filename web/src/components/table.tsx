import { type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Cell } from "../lib/csv";
import { day, localDateTime, number } from "../lib/format";
import { Link } from "../lib/router";
import { common } from "../strings/common";

// A Table is the data of a chart, for DataTable and for CSV files.
export interface Table {
  head: string[];
  rows: Cell[][];
  series?: boolean; // the columns with numbers are series of the same measure
  links?: (string | undefined)[]; // of the rows: URLs of the posts that the column Posts counts
  dates?: boolean; // the first column has ISO dates or local times. DataTable formats them, CSV files keep them.
}

// DataTable shows a table. Columns with numbers are aligned right. Unknown values are shown as "–".
export function DataTable({ table, caption }: { table: Table; caption: string }) {
  const right = table.head.map((_, i) => table.rows.some((row) => typeof row[i] === "number"));
  const cell = (value: Cell) => (typeof value === "number" ? (Number.isInteger(value) ? number(value) : String(value)) : (value ?? "–"));
  return (
    <div class="tablebox" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="sr">{caption}</caption>
        <thead>
          <tr>
            {table.head.map((h, i) => (
              <th key={h} scope="col" class={right[i] ? "right" : ""}>
                {h}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, r) => (
            <tr key={r}>
              {row.map((value, i) => (
                <td key={i} class={right[i] ? "right" : "break"}>
                  {i === 0 && table.dates ? (
                    dateCell(String(value))
                  ) : table.head[i] === common.words.posts && value && table.links?.[r] ? (
                    <Link href={table.links[r]} aria-label={common.chart.postsOf(String(cell(value)), table.dates ? dateCell(String(row[0])) : String(row[0]))} title={common.chart.viewPosts}>
                      {cell(value)}
                    </Link>
                  ) : (
                    cell(value)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// dateCell formats an ISO date or local time.
const dateCell = (iso: string) => (iso.length > 10 ? localDateTime(iso) : day(iso));

// Rows is a table whose rows may have actions. It scrolls on narrow screens. If stacked is set, each
// row becomes a block there, and each cell names its column.
export function Rows({ head, children, label, stacked }: { head: ComponentChildren[]; children: ComponentChildren; label: string; stacked?: boolean }) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const names = [...table.current!.tHead!.rows[0].cells].map((th) => th.textContent ?? "");
    for (const row of table.current!.tBodies[0].rows) [...row.cells].forEach((cell, i) => (cell.dataset.column = names[i]));
  });
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table ref={table} class={stacked ? "stacked" : ""}>
        <caption class="sr">{label}</caption>
        <thead>
          <tr>
            {head.map((h, i) => (
              <th key={i} scope="col">
                {h}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
