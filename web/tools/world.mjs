// Generates src/charts/world.json, the country shapes of the map, from Natural Earth 1:110m (public
// domain) in the package world-atlas. Countries are named by their ids in Earshot's gazetteer. Each has
// a list of polygons, a polygon a list of rings, and a ring the coordinates of its points, one after the
// other, in tenths of a degree and relative to the previous point. That is less than a pixel on the map,
// and a third of the size of GeoJSON.
//
//   node tools/world.mjs ../../shared/data
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { feature } from "topojson-client";

const data = process.argv[2] ?? "../../shared/data";
const lines = gunzipSync(readFileSync(`${data}/geo/countries.tsv.gz`)).toString().trim().split("\n").slice(1);
const countries = new Map(lines.map((line) => line.split("\t")).map(([id, iso2, , name]) => [iso2, { id, name }]));

const atlas = JSON.parse(readFileSync("node_modules/world-atlas/countries-110m.json"));

// encode returns the points of a ring, without points that are equal after rounding.
const encode = (ring) => {
  const points = [];
  let [x, y] = [0, 0];
  for (const [lon, lat] of ring) {
    const [nextX, nextY] = [Math.round(lon * 10), Math.round(lat * 10)];
    if (points.length > 0 && nextX === x && nextY === y) continue;
    points.push(nextX - x, nextY - y);
    [x, y] = [nextX, nextY];
  }
  return points;
};

// Smaller islands have fewer than three different points after rounding.
const isArea = (points) => points.length >= 8;

// whole shifts the parts of a shape beyond 180° longitude, so that no line runs across the map.
const crosses = (ring) => ring.some(([lon], i) => i > 0 && Math.abs(lon - ring[i - 1][0]) > 180);
const whole = (c) => {
  if (typeof c[0][0] !== "number") return c.map(whole);
  return crosses(c) ? c.map(([lon, lat]) => [lon < 0 ? lon + 360 : lon, lat]) : c;
};

const shapes = {};
for (const shape of feature(atlas, atlas.objects.countries).features) {
  // Intl.Locale maps the numeric country codes of the shapes to two-letter codes.
  const iso2 = shape.id === undefined ? undefined : new Intl.Locale(`und-${shape.id}`).region;
  const country = countries.get(iso2);
  if (iso2 === "AQ") continue; // Antarctica has hardly any posts and would take a fifth of the map
  const name = country?.id ?? shape.properties.name;
  if (!country) console.error(`no id: ${shape.id} ${shape.properties.name}`);
  const coordinates = whole(shape.geometry.coordinates);
  const polygons = (shape.geometry.type === "Polygon" ? [coordinates] : coordinates).map((rings) => rings.map(encode).filter(isArea)).filter((rings) => rings.length > 0);
  shapes[name] = [...(shapes[name] ?? []), ...polygons];
}
writeFileSync("src/charts/world.json", JSON.stringify(shapes) + "\n");
console.log(`${Object.keys(shapes).length} shapes`);
