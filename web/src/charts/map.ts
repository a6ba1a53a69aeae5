import type { IdCount } from "../lib/types";
import { tooltip, type Colors, type Option } from "./chart";
import { common } from "../strings/common";

// loadWorld loads the shapes of the countries, once.
export async function loadWorld(echarts: typeof import("echarts/core")) {
  if (echarts.getMap("world")) return;
  const shapes: Record<string, number[][][]> = (await import("./world.json")).default;
  const features = Object.entries(shapes).map(([name, polygons]) => ({
    type: "Feature",
    properties: { name },
    geometry: { type: "MultiPolygon", coordinates: polygons.map((rings) => rings.map(decodeRing)) },
  }));
  echarts.registerMap("world", { type: "FeatureCollection", features } as Parameters<typeof echarts.registerMap>[1]);
}

// decodeRing returns the points of a ring in degrees. tools/world.mjs has encoded them.
function decodeRing(points: number[]): number[][] {
  const ring: number[][] = [];
  let [x, y] = [0, 0];
  for (let i = 0; i < points.length; i += 2) {
    x += points[i];
    y += points[i + 1];
    ring.push([x / 10, y / 10]);
  }
  return ring;
}

// Coefficients of the Equal Earth projection (B. Šavrič, T. Patterson and B. Jenny, 2018), which
// preserves areas and looks like a globe.
const a = [1.340264, -0.081106, 0.000893, 0.003796];
const m = Math.sqrt(3) / 2;
const rad = Math.PI / 180;

function project([lon, lat]: number[]): number[] {
  const t = Math.asin(m * Math.sin(lat * rad));
  const t2 = t * t;
  const t6 = t2 * t2 * t2;
  const x = (lon * rad * Math.cos(t)) / (m * (a[0] + 3 * a[1] * t2 + t6 * (7 * a[2] + 9 * a[3] * t2)));
  const y = t * (a[0] + a[1] * t2 + t6 * (a[2] + a[3] * t2));
  return [x / rad, -y / rad];
}

function unproject([x, y]: number[]): number[] {
  const want = -y * rad;
  let t = want;
  for (let i = 0; i < 12; i++) {
    const t2 = t * t;
    const t6 = t2 * t2 * t2;
    const d = (t * (a[0] + a[1] * t2 + t6 * (a[2] + a[3] * t2)) - want) / (a[0] + 3 * a[1] * t2 + t6 * (7 * a[2] + 9 * a[3] * t2));
    t -= d;
    if (Math.abs(d) < 1e-9) break;
  }
  const t2 = t * t;
  const t6 = t2 * t2 * t2;
  const lon = (x * rad * m * (a[0] + 3 * a[1] * t2 + t6 * (7 * a[2] + 9 * a[3] * t2))) / Math.cos(t);
  return [lon / rad, Math.asin(Math.sin(t) / m) / rad];
}

// mapChart colors countries by their number of posts. The scale is the square root, because a few
// countries have most posts.
export function mapChart(countries: IdCount[], c: Colors): Option {
  const names = new Map(countries.map((x) => [String(x.id), x.name]));
  const posts = new Map(countries.map((x) => [String(x.id), x.posts]));
  const largest = Math.max(1, ...countries.map((x) => x.posts));
  return {
    tooltip: tooltip(c, {
      trigger: "item",
      formatter: (p: { name: string }) => (posts.has(p.name) ? common.chart.country(names.get(p.name)!, posts.get(p.name)!) : common.chart.noneInCountry(names.get(p.name) ?? p.name)),
    }),
    visualMap: { type: "continuous", show: false, min: 0, max: Math.sqrt(largest), inRange: { color: c.dark ? ["#26324f", "#7f9ff5"] : ["#dce5fb", "#2347ad"] } },
    series: [
      {
        type: "map",
        map: "world",
        projection: { project, unproject },
        left: 4,
        right: 4,
        top: 4,
        bottom: 4,
        preserveAspect: "contain",
        selectedMode: false,
        itemStyle: { areaColor: c.sunken, borderColor: c.dark ? "#3a4459" : "#cfd5df", borderWidth: 0.6 },
        emphasis: { label: { show: false }, itemStyle: { areaColor: undefined, borderColor: c.ink, borderWidth: 1 } },
        data: countries.map((x) => ({ name: String(x.id), value: Math.sqrt(x.posts) })),
      },
    ],
  };
}
