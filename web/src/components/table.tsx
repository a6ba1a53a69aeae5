import { type ComponentChildren } from "preact";
import type { Cell } from "../lib/csv";
import { number } from "../lib/format";

// A Table is the numbers of a chart: what is shown, and what goes into a file.
export interface Table {
  head: string[];
  rows: Cell[][];
}

// DataTable shows a table; numbers are to the right.
export function DataTable({ table, caption }: { table: Table; caption: string }) {
  const right = table.head.map((_, i) => table.rows.some((row) => typeof row[i] === "number"));
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
                  {typeof value === "number" ? (Number.isInteger(value) ? number(value) : String(value)) : value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Rows is a table of things that can be acted upon; on narrow screens it scrolls.
export function Rows({ head, children, label }: { head: ComponentChildren[]; children: ComponentChildren; label: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
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
