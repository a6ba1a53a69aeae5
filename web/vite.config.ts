import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

// The build goes to internal/http/ui/dist, where the program embeds it. Names of files carry a hash of their content, so
// they can be kept by browsers for ever; index.html is asked for anew each time.
const server = process.env.EARSHOT_DEV_SERVER ?? "http://127.0.0.1:8080";

// The server reads the list of pages to know at which paths to serve index.html.
const pageList = {
  name: "page-list",
  generateBundle(this: { emitFile(file: object): void }) {
    this.emitFile({ type: "asset", fileName: "pages.json", source: readFileSync("src/pages.json") });
  },
};

export default defineConfig({
  plugins: [pageList],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: process.env.EARSHOT_WEB_OUT ?? "../internal/http/ui/dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // data: addresses in scripts and styles are not allowed by our policy
    chunkSizeWarningLimit: 900,
    reportCompressedSize: true,
  },
  server: {
    // `npm run dev` beside `make run`: the pages come from here, the data from there.
    proxy: { "/api/": server, "/manage/": server },
  },
});
