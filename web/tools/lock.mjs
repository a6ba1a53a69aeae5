// Takes out of package-lock.json where packages were fetched from: versions and checksums say what they are, and whoever
// installs them may have another place to fetch from.
//
//   npm run lock
import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json"));
for (const entry of Object.values(lock.packages)) delete entry.resolved;
writeFileSync("package-lock.json", JSON.stringify(lock, null, 2) + "\n");
