import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

// The build goes to internal/http/ui/dist, from where the server embeds it. File names contain a hash
// of the content, so browsers may cache them indefinitely; they request index.html every time.

// server is the server that answers API requests of "npm run dev".
const server = process.env.EARSHOT_DEV_SERVER ?? "http://127.0.0.1:8080";

// pageList copies the list of pages, from which the server knows the paths that serve index.html.
const pageList = {
  name: "page-list",
  generateBundle(this: { emitFile(file: object): void }) {
    this.emitFile({ type: "asset", fileName: "pages.json", source: readFileSync("src/pages.json") });
  },
};

// shared merges the modules that several pages use into one file: a page then needs two or three
// requests instead of forty, and the next page only its own code. The exceptions are large and used
// by two or three pages, none of them the overview.
const exceptions = "charts/(echarts|world)|(components|lib)/query|strings/(channels|train)|pages/(posts|channels|compare/chooser)";
const shared = { name: "shared", test: new RegExp(`/web/src/(?!${exceptions})|preload-helper`), minShareCount: 2 };

export default defineConfig({
  plugins: [pageList],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: process.env.EARSHOT_WEB_OUT ?? "../internal/http/ui/dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ["index.html", "share.html"], // the app, and the page of visitors
      output: { codeSplitting: { groups: [shared] } },
    },
    assetsInlineLimit: 0, // the Content-Security-Policy does not allow data: URLs
    chunkSizeWarningLimit: 900,
    reportCompressedSize: true,
  },
  server: {
    // Run `npm run dev` next to `make run`: Vite serves the pages and forwards API requests.
    proxy: { "/api/": server, "/manage/": server, "/share/v1/": server },
  },
});
