// Checks what the command palette understands. Run by npm run check.
import assert from "node:assert/strict";
import { createServer } from "vite";

const server = await createServer({ configFile: false, server: { middlewareMode: true, hmr: false, ws: false }, appType: "custom", logLevel: "error", optimizeDeps: { noDiscovery: true } });
const { parsePhrase } = await server.ssrLoadModule("/src/lib/phrase.ts");
const { formatFilter } = await server.ssrLoadModule("/src/lib/filter.ts");

const vocabulary = {
  monitors: [{ id: "1", name: "Morvessa" }, { id: "2", name: "Morvessa Germany" }, { id: "3", name: "Everyday life" }],
  countries: [{ id: "DEU", name: "Germany" }, { id: "USA", name: "United States" }, { id: "GBR", name: "United Kingdom" }, { id: "CIV", name: "Côte d’Ivoire" }],
  languages: [{ id: "fr", name: "French" }, { id: "de", name: "German" }],
  sources: ["Twitter", "Hacker News", "News"],
  today: "2026-11-19",
};
const cases = [
  ["negative last week Germany", "sentiment:negative|geolocation:DEU", "lastweek"],
  ["french women yesterday", "language:fr|gender:F", "yesterday"],
  ["#paytobrew Nov 11", "hashtag:paytobrew", "2026-11-11 2026-11-12"],
  ["sadness 30 days morvessa", "emotion:sadness", "last30", "1"],
  ["Morvessa Germany angry", "emotion:anger", "", "2"],
  ["everyday life, hacker news, last 10 days", "source:Hacker News", "2026-11-10 2026-11-20", "3"],
  ["broken pump", "keywords:broken AND pump", ""],
  ['"broken pump" in the US', 'geolocation:USA|keywords:"broken pump"', ""],
  ["posts from united states on twitter", "geolocation:USA|source:Twitter", ""],
  ["today", "", "2026-11-19 2026-11-20"],
  ["2026-11-11", "", "2026-11-11 2026-11-12"],
  ["2026-11-03 to 2026-11-09", "", "2026-11-03 2026-11-10"],
  ["Nov 3–9", "", "2026-11-03 2026-11-10"],
  ["Nov 3-9, 2025 news", "source:News", "2025-11-03 2025-11-10"],
  ["november 28 – december 3", "", "2025-11-28 2025-12-04"],
  ["Dec 28 to Jan 3", "", "2025-12-28 2026-01-04"],
  ["Nov 16–22", "", "2026-11-16 2026-11-23"],
  ["Nov 20", "", "2025-11-20 2025-11-21"],
  ["3rd party Sept 4th", 'keywords:3rd AND party', "2026-09-04 2026-09-05"],
  ["11 Nov 2025", "", "2025-11-11 2025-11-12"],
  ["Feb 30", "keywords:Feb AND 30", ""],
  ["2 weeks", "", "2026-11-06 2026-11-20"],
  ["this month", "", "thismonth"],
  ["cote d’ivoire happy", "emotion:joy|geolocation:CIV", ""],
  ["women 18-24 over 35", "gender:F|age:EIGHTEEN_TO_TWENTYFOUR,THIRTYFIVE_AND_OVER", ""],
  ["negatively germanyx", "keywords:negatively AND germanyx", ""],
  ["cats and dogs", "keywords:cats AND dogs", ""],
  ["or not", 'keywords:"or" AND "not"', ""],
  ["", "", ""],
];
for (const [text, filter, days, monitor = ""] of cases) {
  const p = parsePhrase(text, vocabulary);
  assert.equal(formatFilter(p.filter), filter, text);
  assert.equal([p.days.range, p.days.start, p.days.end].filter(Boolean).join(" "), days, text);
  assert.equal(p.monitor, monitor, text);
}
assert.deepEqual(parsePhrase("angry French women", vocabulary).names, ["Anger", "French", "Female"]);
await server.close();
