// Generates src/charts/world.json, the country shapes of the map, from Natural Earth 1:110m (public
// domain) in the package world-atlas. Countries are named by their ids in Earshot's gazetteer.
//
//   node tools/world.mjs ../../shared/data
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { feature } from "topojson-client";

const data = process.argv[2] ?? "../../shared/data";
const lines = gunzipSync(readFileSync(`${data}/geo/countries.tsv.gz`)).toString().trim().split("\n").slice(1);
const countries = new Map(lines.map((line) => line.split("\t")).map(([id, iso2, , name]) => [iso2, { id, name }]));

const atlas = JSON.parse(readFileSync("node_modules/world-atlas/countries-110m.json"));
const round = (c) => (typeof c[0] === "number" ? c.map((x) => Math.round(x * 100) / 100) : c.map(round));

// whole shifts the parts of a shape beyond 180° longitude, so that no line runs across the map.
const crosses = (ring) => ring.some(([lon], i) => i > 0 && Math.abs(lon - ring[i - 1][0]) > 180);
const whole = (c) => {
  if (typeof c[0][0] !== "number") return c.map(whole);
  return crosses(c) ? c.map(([lon, lat]) => [lon < 0 ? lon + 360 : lon, lat]) : c;
};

const features = [];
for (const shape of feature(atlas, atlas.objects.countries).features) {
  // Intl.Locale maps the numeric country codes of the shapes to two-letter codes.
  const iso2 = shape.id === undefined ? undefined : new Intl.Locale(`und-${shape.id}`).region;
  const country = countries.get(iso2);
  if (iso2 === "AQ") continue; // Antarctica has hardly any posts and would take a fifth of the map
  const name = country?.id ?? shape.properties.name;
  if (!country) console.error(`no id: ${shape.id} ${shape.properties.name}`);
  features.push({
    type: "Feature",
    properties: { name },
    geometry: { type: shape.geometry.type, coordinates: round(whole(shape.geometry.coordinates)) },
  });
}
writeFileSync("src/charts/world.json", JSON.stringify({ type: "FeatureCollection", features }) + "\n");
console.log(`${features.length} shapes`);
