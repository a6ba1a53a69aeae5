// Checks that filters survive the URL: formatFilter and parseFilter are inverse, and adding, excluding
// and removing a value are, too. Run by npm run check.
import assert from "node:assert/strict";
import { createServer } from "vite";

const server = await createServer({ configFile: false, server: { middlewareMode: true, hmr: false, ws: false }, appType: "custom", logLevel: "error", optimizeDeps: { noDiscovery: true } });
const { fields, formatFilter, negate, negationOf, parseFilter, rangeFields, refine, withValue, withoutValue } = await server.ssrLoadModule("/src/lib/filter.ts");

// A small generator of pseudo-random numbers, so that failures can be repeated.
let state = 1;
const random = (n) => (state = (state * 48271) % 2147483647) % n;
const one = (list) => list[random(list.length)];

const texts = ["a", "News", "ünï", "x y", "#tag", "O'Neil", "日本", "a.example", "7", "10:30", "100%", "a&b=c+d"];
const queries = ['a OR "b|c"', "{x|y} AND author:ann", "price NEAR/5 (high OR low)", "a:b", 'site:example.com "c:d"'];
const valueOf = (field) => {
  if (rangeFields.includes(field)) return one(["10..", "..5", "5..10"]);
  if (field === "keywords") return one(queries);
  if (field === "geolocation") return one(["DEU", "USA/CA", "GBR/London, City"]);
  if (field === "own") return one(["only", "exclude"]);
  if (field === "starred") return one(["yes", "no"]);
  return one(texts);
};
const same = (a, b, what) => assert.equal(formatFilter(a), formatFilter(b), what);

const names = Object.keys(fields);
for (let round = 0; round < 5000; round++) {
  let filter = {};
  for (let i = random(5); i > 0; i--) {
    const field = one(names);
    filter = withValue(filter, random(3) || field === "own" || field === "starred" ? field : `-${field}`, valueOf(field));
  }
  const text = formatFilter(filter);
  assert.deepEqual(parseFilter(text), filter, text);
  assert.equal(formatFilter(parseFilter(text)), text);
  same(parseFilter(new URLSearchParams(new URLSearchParams({ filter: text }).toString()).get("filter")), filter, text);

  const field = one(names.filter((f) => f !== "keywords"));
  const value = valueOf(field);
  if (filter[field] || filter[`-${field}`]) continue;
  const added = withValue(filter, field, value);
  same(withoutValue(added, field, value), filter, `remove ${field}:${value} from ${formatFilter(added)}`);
  same(negate(negate(added, field, value), field === "own" || field === "starred" ? field : negationOf(field), field === "own" ? (value === "only" ? "exclude" : "only") : field === "starred" ? (value === "yes" ? "no" : "yes") : value), added, `exclude and include ${field}:${value}`);
  same(refine(withValue(filter, `-${field}`, value), field, value), added, `refine by the excluded ${field}:${value}`);
}
assert.deepEqual(parseFilter("unknown:x|gender:F"), { gender: ["F"] });
await server.close();
