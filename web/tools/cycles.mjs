// Fails if modules in src import each other in a cycle. Type imports count too.
//
//   node tools/cycles.mjs
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const files = readdirSync("src", { recursive: true }).filter((f) => /\.tsx?$/.test(f));
const modules = new Map(files.map((f) => [f.replace(/\.tsx?$/, ""), readFileSync(join("src", f), "utf8")]));
const importsOf = (module) =>
  [...modules.get(module).matchAll(/(?:from|import) ?\(?"(\.[^"]*)"/g)].map((m) => join(dirname(module), m[1])).filter((m) => modules.has(m));

const done = new Set();

// visit follows the imports of a module. path lists the modules that led to it.
function visit(module, path) {
  if (path.includes(module)) {
    console.error(`import cycle: ${[...path.slice(path.indexOf(module)), module].join(" → ")}`);
    process.exitCode = 1;
    return;
  }
  if (done.has(module)) return;
  for (const next of importsOf(module)) visit(next, [...path, module]);
  done.add(module);
}

for (const module of modules.keys()) visit(module, []);
