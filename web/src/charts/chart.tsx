import type { EChartsCoreOption, ECharts } from "echarts/core";
import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { Link } from "../lib/router";
import { useDark } from "../lib/theme";
import { common } from "../strings/common";
import { inTurn, runAll } from "./turns";

// Start loading ECharts together with the page, not after its data.
import("./echarts").catch(() => {}); // the chart tries again and shows the error

export type Option = EChartsCoreOption;

export interface Colors {
  dark: boolean;
  ink: string;
  muted: string;
  line: string;
  surface: string;
  raised: string;
  accent: string;
  sunken: string;
  unusual: string;
}

export interface Picked {
  name: string;
  seriesName?: string;
  dataIndex: number;
  seriesIndex?: number;
  data: unknown;
}

// colors returns the colors of the current theme, from the custom properties of the style sheet.
export function colors(dark: boolean): Colors {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return { dark, ink: value("ink"), muted: value("muted"), line: value("line"), surface: value("surface"), raised: value("raised"), accent: value("accent"), sunken: value("sunken"), unusual: value("unusual") };
}

// A Band marks a part of the horizontal axis. Its bounds count steps: 0 is the start of the first
// step, 1 its end, 1.5 the middle of the second step.
export interface Band {
  from: number;
  to: number;
}

// A Drawing is a chart that can be drawn as a picture.
export interface Drawing {
  option: (c: Colors) => Option;
  prepare?: Props["prepare"];
  height?: number;
}

// DrawingContext is where a chart leaves its drawing for the card that it is on.
export const DrawingContext = createContext<{ current: Drawing | null } | null>(null);

// A Mark is a link above a step of the horizontal axis.
export interface Mark {
  at: number; // index of the step
  href: string;
  label: string;
  text: string; // shown
  class: string;
}

interface Props {
  option: (c: Colors) => Option;
  label: string; // description for screen readers
  onPick?: (p: Picked) => void;
  onBrush?: (start: number, end: number) => void; // click or drag on the time axis: first and last index
  bands?: Band[]; // drawn hatched over the plot
  marks?: Mark[]; // links over the plot, of which a list below the chart is the accessible version
  tall?: boolean;
  height?: string;
  prepare?: (echarts: typeof import("echarts/core")) => Promise<void>; // runs before the chart is first drawn
}

const paperWidth = 650; // of a chart on A4, in pixels; on other paper the browser scales it

// Chart draws a chart with ECharts, which is loaded on first use. The table of its ChartCard is the
// text alternative.
export function Chart({ option, label, onPick, onBrush, bands, marks, tall, height, prepare }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<ECharts | null>(null);
  const latest = useRef({ onPick, onBrush });
  latest.current = { onPick, onBrush };
  const drawing = useContext(DrawingContext);
  if (drawing) drawing.current = { option, prepare };
  const dark = useDark();
  const [ready, setReady] = useState(false);
  const [drawn, setDrawn] = useState(false);
  const [failed, setFailed] = useState(false);
  const [plot, setPlot] = useState<Plot | null>(null);

  useEffect(() => {
    let unmounted = false;
    let cancel = () => {};
    const element = box.current!;
    const watch = new ResizeObserver(() => {
      chart.current?.resize();
      if (chart.current) setPlot(plotOf(chart.current));
    });
    (async () => {
      const { echarts } = await import("./echarts");
      await prepare?.(echarts);
      if (unmounted) return;
      cancel = inTurn(element, () => {
        chart.current = echarts.init(element, null, { renderer: "canvas" });
        chart.current.on("click", (p) => latest.current.onPick?.(p as unknown as Picked));
        listenForBrush(chart.current, element, () => latest.current.onBrush);
        watch.observe(element);
        setReady(true);
      });
    })().catch(() => !unmounted && setFailed(true));
    return () => {
      unmounted = true;
      cancel();
      watch.disconnect();
      if (chart.current) dispose(chart.current);
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    if (!ready) return;
    return inTurn(box.current!, () => {
      const c = colors(dark);
      chart.current!.setOption({ ...base(c), ...option(c) }, { notMerge: true });
      setPlot(plotOf(chart.current!));
      setDrawn(true);
    });
  }, [ready, dark, option]);

  // Printing does not wait for effects, so the chart has to have the colors and the width of paper at
  // once.
  useEffect(() => {
    const print = () => {
      runAll();
      const c = colors(false);
      chart.current?.resize({ width: paperWidth });
      chart.current?.setOption({ ...base(c), ...option(c), animation: false }, { notMerge: true });
    };
    const restore = () => chart.current?.resize({ width: "auto" });
    window.addEventListener("beforeprint", print);
    window.addEventListener("afterprint", restore);
    return () => {
      window.removeEventListener("beforeprint", print);
      window.removeEventListener("afterprint", restore);
    };
  }, [option]);

  if (failed) return <p class="muted">{common.errors.chartNotLoaded}</p>;
  return (
    <div class={`chart ${tall ? "tall" : ""}`} style={height ? { height } : undefined}>
      <div ref={box} class="chart-canvas" role="img" aria-label={label} data-ready={drawn} />
      {plot && bands?.map((b) => <div key={`${b.from} ${b.to}`} class="gap-band" style={bandStyle(plot, b)} />)}
      {plot && marks && marks.length > 0 && (
        <div class="signal-marks" style={{ left: `${plot.x}px`, top: `${plot.y}px`, width: `${plot.width}px`, height: `${plot.height}px` }}>
          {marks.map((m) => (
            <Link key={m.at} href={m.href} class={m.class} tabIndex={-1} title={m.label} aria-label={m.label} style={{ left: `${middleOf(plot, m.at) * 100}%` }}>
              {m.text}
            </Link>
          ))}
        </div>
      )}
    </div>
  );
}

// A Plot is the rectangle of a chart between its axes, in pixels.
interface Plot {
  x: number;
  y: number;
  width: number;
  height: number;
  steps: number; // on the horizontal axis
  inset: boolean; // the first and last step end at the edges; otherwise their middles are there
}

// plotOf returns the plot of a chart, or null if it has no axes.
function plotOf(chart: ECharts): Plot | null {
  const model = (chart as unknown as { getModel(): { getComponent(name: string): any } | undefined }).getModel();
  const rect = model?.getComponent("grid")?.coordinateSystem?.getRect();
  const axis = model?.getComponent("xAxis");
  if (!rect || !axis) return null;
  return { x: rect.x, y: rect.y, width: rect.width, height: rect.height, steps: axis.get("data")?.length ?? 0, inset: axis.get("boundaryGap") !== false };
}

// middleOf returns where the middle of a step is, as a share of the width of the plot.
const middleOf = (p: Plot, at: number) => (p.inset || p.steps < 2 ? (at + 0.5) / Math.max(1, p.steps) : at / (p.steps - 1));

// bandStyle returns the position of a band, at least 3 pixels wide.
function bandStyle(p: Plot, b: Band): { left: string; top: string; width: string; height: string } {
  const share = (at: number) => Math.max(0, Math.min(1, p.inset || p.steps < 2 ? at / p.steps : (at - 0.5) / (p.steps - 1)));
  const left = Math.min(p.x + share(b.from) * p.width, p.x + p.width - 3);
  return { left: `${left}px`, top: `${p.y}px`, width: `${Math.max(3, p.x + share(b.to) * p.width - left)}px`, height: `${p.height}px` };
}

// dispose disposes of a chart and cancels its pending redraw. zrender would otherwise draw on the
// removed canvas in the next frame.
function dispose(chart: ECharts) {
  const painter = chart.getZr().painter as unknown as { _redrawId: number };
  chart.dispose();
  painter._redrawId = 0;
}

// base returns the options of all charts.
function base(c: Colors): Option {
  const font = getComputedStyle(document.body).fontFamily;
  return {
    animation: !window.matchMedia("(prefers-reduced-motion: reduce)").matches,
    animationDuration: 250,
    backgroundColor: "transparent",
    textStyle: { fontFamily: font, color: c.ink },
    aria: { enabled: false },
  };
}

// tooltip returns the options of a tooltip. It is drawn on the canvas instead of built from HTML,
// because post text must not be parsed as HTML and the Content-Security-Policy forbids inline
// styles.
export function tooltip(c: Colors, more: object = {}): object {
  return {
    renderMode: "richText",
    confine: true,
    backgroundColor: c.raised,
    borderColor: c.line,
    borderWidth: 1,
    padding: [8, 10],
    textStyle: { color: c.ink, fontSize: 12, lineHeight: 18 },
    ...more,
  };
}

// listenForBrush lets the user click one step of the horizontal axis or drag over several.
function listenForBrush(chart: ECharts, element: HTMLElement, wanted: () => Props["onBrush"]) {
  const zr = chart.getZr();
  let from = -1;
  let band: HTMLDivElement | null = null;
  let startX = 0;
  const index = (x: number, y: number) => {
    const at = chart.convertFromPixel({ gridIndex: 0 }, [x, y]);
    return Array.isArray(at) ? Math.round(at[0]) : -1;
  };
  const end = () => {
    band?.remove();
    band = null;
    from = -1;
  };
  zr.on("mousedown", (e) => {
    if (!wanted() || !chart.containPixel({ gridIndex: 0 }, [e.offsetX, e.offsetY])) return;
    from = index(e.offsetX, e.offsetY);
    startX = e.offsetX;
  });
  zr.on("mousemove", (e) => {
    if (from < 0 || Math.abs(e.offsetX - startX) < 6) return;
    if (!band) {
      band = document.createElement("div");
      band.className = "brush";
      element.append(band);
    }
    band.style.left = `${Math.min(startX, e.offsetX)}px`;
    band.style.width = `${Math.abs(e.offsetX - startX)}px`;
  });
  zr.on("mouseup", (e) => {
    const fn = wanted();
    const to = from < 0 ? -1 : band ? index(e.offsetX, e.offsetY) : from;
    if (fn && to >= 0) fn(Math.min(from, to), Math.max(from, to));
    end();
  });
  zr.on("globalout", end);
}
