// Draws charts as pictures for download. Loaded when the first picture is requested.
import type { ECharts } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { number } from "../lib/format";
import type { Cell } from "../lib/csv";
import type { Table } from "../components/table";
import { colors, type Colors, type Drawing, type Option } from "./chart";
import { echarts } from "./echarts";
import { seriesColor } from "../lib/color";
import { common } from "../strings/common";

echarts.use([SVGRenderer]);

export type PictureFormat = "png" | "svg";

// A Caption is drawn above a chart.
export interface Caption {
  title: string;
  lines: string[];
}

const width = 1000;
const chartHeight = 460;
const margin = 28;
const pixelRatio = 2; // of PNG files

// drawPicture draws a chart with its caption, in the colors of the current theme.
export async function drawPicture(drawing: Drawing, caption: Caption, format: PictureFormat, dark: boolean): Promise<Blob> {
  const c = colors(dark);
  const font = getComputedStyle(document.body).fontFamily.replaceAll('"', "'"); // ECharts does not escape it in SVG
  const head = { ...caption, lines: caption.lines.filter(Boolean) };
  const top = margin + 34 + head.lines.length * 20;
  const height = drawing.height ?? chartHeight;
  await drawing.prepare?.(echarts);
  const chart = echarts.init(document.createElement("div"), null, { renderer: format === "svg" ? "svg" : "canvas", width: width - 2 * margin, height, devicePixelRatio: pixelRatio });
  try {
    chart.setOption({ textStyle: { fontFamily: font, color: c.ink }, ...withLegend(drawing.option(c), c), animation: false, tooltip: undefined });
    await settled(chart);
    const size = { width, height: top + height + margin };
    return format === "svg" ? composeSVG(svgOf(chart), head, size, top, c, font) : await composePNG(chart.renderToCanvas({ pixelRatio }), head, size, top, c, font);
  } finally {
    chart.dispose();
  }
}

// settled waits until a chart is drawn. A word cloud arrives word by word.
async function settled(chart: ECharts) {
  const shapes = () => chart.getZr().storage.getDisplayList(true, true).length;
  let before = 0;
  for (let i = 0; i < 30; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (before > 0 && shapes() === before) return;
    before = shapes();
  }
}

// svgOf returns a chart as SVG, without the styles of elements under the pointer.
function svgOf(chart: ECharts): string {
  const painter = chart.getZr().painter as unknown as { renderToString(o: object): string };
  return painter.renderToString({ cssAnimation: false, cssEmphasis: false });
}

interface Size {
  width: number;
  height: number;
}

const titleFont = 20;
const lineFont = 14;

function composeSVG(chart: string, head: Caption, { width, height }: Size, top: number, c: Colors, font: string): Blob {
  const text = (s: string, y: number, size: number, weight: number, color: string) => `<text x="${margin}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${color}" unicode-bidi="plaintext">${escape(fit(s, `${weight} ${size}px ${font}`))}</text>`;
  const lines = [text(head.title, margin + titleFont - 2, titleFont, 650, c.ink), ...head.lines.map((l, i) => text(l, margin + 44 + i * 20, lineFont, 400, c.muted))];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escape(font)}"><rect width="100%" height="100%" fill="${c.surface}"/>${lines.join("")}${chart.replace("<svg ", `<svg x="${margin}" y="${top}" `)}</svg>`;
  return new Blob([svg], { type: "image/svg+xml" });
}

function composePNG(chart: HTMLCanvasElement, head: Caption, { width, height }: Size, top: number, c: Colors, font: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = width * pixelRatio;
  canvas.height = height * pixelRatio;
  const context = canvas.getContext("2d")!;
  context.scale(pixelRatio, pixelRatio);
  context.fillStyle = c.surface;
  context.fillRect(0, 0, width, height);
  const text = (s: string, y: number, fontOf: string, color: string) => {
    context.font = fontOf;
    context.fillStyle = color;
    context.fillText(fit(s, fontOf), margin, y);
  };
  text(head.title, margin + titleFont - 2, `650 ${titleFont}px ${font}`, c.ink);
  head.lines.forEach((l, i) => text(l, margin + 44 + i * 20, `400 ${lineFont}px ${font}`, c.muted));
  context.drawImage(chart, margin, top, chart.width / pixelRatio, chart.height / pixelRatio);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(common.chart.pictureFailed))), "image/png"));
}

const escape = (text: string) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

// fit shortens a text that is wider than the picture.
function fit(text: string, font: string): string {
  const context = document.createElement("canvas").getContext("2d")!;
  context.font = font;
  const room = width - 2 * margin;
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > room) letters.splice(-Math.max(1, Math.floor(letters.length / 20)));
  return `${letters.join("").trimEnd()}…`;
}

// withLegend adds a legend to a chart of several series. On the page, other elements may explain them.
function withLegend(option: Option, c: Colors): Option {
  const series = (Array.isArray(option.series) ? option.series : []) as { name?: string }[];
  const names = [...new Set(series.flatMap((s) => (s.name ? [s.name] : [])))];
  if (names.length < 2) return option;
  const grid = option.grid as { bottom?: number } | undefined;
  return {
    ...option,
    legend: { bottom: 0, left: 0, right: 0, type: "plain", icon: "roundRect", itemWidth: 10, itemHeight: 10, itemGap: 14, textStyle: { color: c.muted }, data: names },
    grid: grid && { ...grid, bottom: Math.max(grid.bottom ?? 0, names.length > 8 ? 64 : 40) },
  };
}

const maxBars = 25;

// tableDrawing draws a table as horizontal bars: a bar for each number of posts, or, if the columns are
// series, a group of bars for each row. It returns null if the table has neither.
export function tableDrawing(table: Table): Drawing | null {
  const text = table.head.findIndex((_, i) => table.rows.some((row) => typeof row[i] === "number")); // number of columns before the first number
  const column = table.head.indexOf(common.words.posts);
  const columns = table.series ? table.head.map((_, i) => i).slice(text) : column >= 0 ? [column] : [];
  const rows = table.rows.slice(0, maxBars);
  if (text < 1 || columns.length === 0 || rows.length === 0) return null;
  const names = rows.map((row) => row.slice(0, Math.min(text, 3)).join(" · "));
  return {
    height: Math.max(160, rows.length * (14 + 14 * columns.length) + 60),
    option: (c) => ({
      grid: { left: 8, right: 70, top: 8, bottom: 8, containLabel: true },
      xAxis: { type: "value", axisLabel: { show: false }, splitLine: { show: false } },
      yAxis: { type: "category", inverse: true, data: names, axisLine: { show: false }, axisTick: { show: false }, axisLabel: { color: c.ink, fontSize: 13, width: 320, overflow: "truncate" } },
      series: columns.map((at, i) => ({
        type: "bar",
        name: columns.length > 1 ? table.head[at] : undefined,
        data: rows.map((row) => valueOf(row[at])),
        itemStyle: { color: columns.length > 1 ? seriesColor(i, c.dark) : c.accent, borderRadius: [0, 3, 3, 0] },
        barMaxWidth: 22,
        label: { show: true, position: "right", color: c.muted, fontSize: 12, formatter: (p: { value: number }) => number(p.value) },
      })),
    }),
  };
}

const valueOf = (cell: Cell) => (typeof cell === "number" ? cell : 0);
