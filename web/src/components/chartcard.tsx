import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { download, toCSV } from "../lib/csv";
import { Card } from "./basics";
import { Icon } from "./icon";
import { DataTable, type Table } from "./table";

// ChartCard is a chart that also shows its numbers as a table and hands them out as a file.
export function ChartCard({ title, note, file, table, children, tools, class: more = "" }: { title: string; note?: ComponentChildren; file: string; table: Table; children: ComponentChildren; tools?: ComponentChildren; class?: string }) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Card
      class={`fill ${more}`}
      title={title}
      note={note}
      tools={
        <>
          {tools}
          <button type="button" class="button quiet small" aria-pressed={asTable} aria-label={asTable ? `${title}: show the chart` : `${title}: show the numbers as a table`} title={asTable ? "Chart" : "Table"} onClick={() => setAsTable(!asTable)}>
            <Icon name={asTable ? "chart" : "table"} />
          </button>
          <button type="button" class="button quiet small" aria-label={`${title}: download as CSV`} title="CSV" onClick={() => download(`${file}.csv`, toCSV(table.head, table.rows))}>
            <Icon name="download" />
          </button>
        </>
      }
    >
      {asTable ? <DataTable table={table} caption={`${title}: table`} /> : children}
    </Card>
  );
}
