import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Drawing } from "../charts/chart";
import type { PictureFormat } from "../charts/picture";
import { download, save, toCSV } from "../lib/csv";
import { useDark } from "../lib/theme";
import { Icon } from "./icon";
import { Popover } from "./popover";
import type { Table } from "./table";
import { showError } from "./toast";
import { common } from "../strings/common";

// CaptionContext says what the charts of a page count: the monitor, the dates and the filter. Pictures
// of charts have it below the title.
export const CaptionContext = createContext<string[]>([]);

const text = common.chart;

// DownloadMenu downloads a chart as a picture, or its data as CSV. chart returns what the card draws
// with ECharts, if anything; otherwise the picture is drawn from the table.
export function DownloadMenu({ title, file, table, chart }: { title: string; file: string; table: Table; chart: () => Drawing | null }) {
  const lines = useContext(CaptionContext);
  const dark = useDark();
  const draw = async (format: PictureFormat) => {
    const { drawPicture, tableDrawing } = await import("../charts/picture");
    const drawing = chart() ?? tableDrawing(table);
    if (!drawing) throw new Error(text.noPicture);
    save(`${file}.${format}`, await drawPicture(drawing, { title, lines }, format, dark));
  };
  const pictures: PictureFormat[] = ["png", "svg"];
  return (
    <Popover label={text.action(title, text.download)} title={text.download} right class="button quiet small" button={<Icon name="download" />}>
      {(close) => (
        <div class="options nowrap">
          {pictures.map((format) => (
            <button
              key={format}
              type="button"
              onClick={() => {
                close();
                draw(format).catch(showError);
              }}
            >
              {text.formats[format]}
            </button>
          ))}
          <button
            type="button"
            onClick={() => {
              close();
              download(`${file}.csv`, toCSV(table.head, table.rows));
            }}
          >
            {text.formats.csv}
          </button>
        </div>
      )}
    </Popover>
  );
}
