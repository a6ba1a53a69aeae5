import { type ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { DrawingContext, type Drawing } from "../charts/chart";
import { download, toCSV } from "../lib/csv";
import type { CardKind } from "../lib/types";
import { Card } from "./basics";
import { DownloadMenu } from "./download";
import { useFrame } from "./frame";
import { Icon } from "./icon";
import { PinButton } from "./pin";
import { DataTable, type Table } from "./table";
import { common } from "../strings/common";

// ChartCard is a card with a chart, which can also show the data as a table, and download both. pin is
// the kind of card that it becomes on a dashboard.
export function ChartCard({ title: name, note, file, table, children, tools, pin, class: more = "" }: { title: string; note?: ComponentChildren; file: string; table: Table; children: ComponentChildren; tools?: ComponentChildren; pin?: CardKind; class?: string }) {
  const [asTable, setAsTable] = useState(false);
  const drawing = useRef<Drawing | null>(null); // of the chart, if it is drawn with ECharts
  const title = useFrame()?.title ?? name;
  const toggle = asTable ? common.chart.showChart : common.chart.showTable;
  return (
    <Card
      class={`fill ${more}`}
      title={title}
      note={note}
      tools={
        <>
          {tools}
          <button type="button" class="button quiet small" aria-pressed={asTable} aria-label={common.chart.action(title, toggle)} title={toggle} onClick={() => setAsTable(!asTable)}>
            <Icon name={asTable ? "chart" : "table"} />
          </button>
          <DownloadMenu title={title} file={file} table={table} chart={() => drawing.current} />
          {pin && <PinButton kind={pin} title={title} />}
        </>
      }
    >
      {asTable ? <DataTable table={table} caption={common.chart.tableCaption(title)} /> : <DrawingContext.Provider value={drawing}>{children}</DrawingContext.Provider>}
    </Card>
  );
}

// CSVButton downloads the data of a card as CSV.
export function CSVButton({ title, file, table }: { title: string; file: string; table: Table }) {
  return (
    <button type="button" class="button quiet small" aria-label={common.chart.action(title, common.chart.downloadCSV)} title={common.chart.downloadCSV} onClick={() => download(`${file}.csv`, toCSV(table.head, table.rows))}>
      <Icon name="download" />
    </button>
  );
}
