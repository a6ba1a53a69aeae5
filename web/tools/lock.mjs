// Removes the download URLs from package-lock.json. Versions and checksums identify the packages, and
// whoever installs them may use a different registry.
//
//   npm run lock
import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json"));
for (const entry of Object.values(lock.packages)) delete entry.resolved;
writeFileSync("package-lock.json", JSON.stringify(lock, null, 2) + "\n");
