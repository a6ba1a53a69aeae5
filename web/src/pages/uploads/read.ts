import { CSVReader } from "../../lib/csv";
import { JSONReader, valuesOf } from "./json";

// A Row is one document of a file: its values by column, and where it stands.
export interface Row {
  line: number;
  values: Record<string, string>;
  text: string; // as it is in the file, shortened
  problem?: string; // why it cannot be read
}

export type Encoding = "utf-8" | "windows-1252" | "utf-16le";
export const encodings: { value: Encoding; name: string }[] = [
  { value: "utf-8", name: "UTF-8" },
  { value: "windows-1252", name: "Western European (Windows)" },
  { value: "utf-16le", name: "UTF-16" },
];

// A Chunk is some rows of a file, and how many of its bytes are read.
export interface Chunk {
  rows: Row[];
  bytes: number;
}

const clip = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

async function beginsWith(file: File, ...bytes: number[]): Promise<boolean> {
  const first = new Uint8Array(await file.slice(0, bytes.length).arrayBuffer());
  return first.length === bytes.length && bytes.every((b, i) => first[i] === b);
}

// readRows reads a file piece by piece, so that its size does not matter: CSV, JSON lines or one JSON list, also with gzip.
export async function* readRows(file: File, encoding: Encoding): AsyncGenerator<Chunk> {
  let bytes = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, out) {
      bytes += piece.byteLength;
      out.enqueue(piece);
    },
  });
  let stream = file.stream().pipeThrough(counted);
  const gzip = await beginsWith(file, 0x1f, 0x8b);
  if (gzip) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  const texts = stream.pipeThrough(new TextDecoderStream(encoding, { fatal: true })).getReader();
  let rows: Row[] = [];
  let reader: ReturnType<typeof readerFor> | undefined;
  try {
    for (;;) {
      const { value, done } = await texts.read().catch(() => {
        throw new Error(gzip ? "The file is damaged, or its text has another encoding." : "The text of the file has another encoding. Choose it below.");
      });
      if (done) break;
      if (!reader && !value.trim()) continue;
      reader ??= readerFor(value, (row) => rows.push(row));
      reader.push(value);
      if (rows.length) yield { rows, bytes };
      rows = [];
    }
    reader?.end();
    if (rows.length) yield { rows, bytes };
  } finally {
    texts.cancel().catch(() => {}); // nobody waits for the rest
  }
}

// readerFor returns what reads a text that begins so.
function readerFor(text: string, onRow: (row: Row) => void) {
  if (/^\s*[[{]/.test(text)) return new JSONReader((item, line) => onRow(jsonRow(item, line)));
  let columns: string[] | undefined;
  return new CSVReader((cells, line) => {
    if (columns) onRow(csvRow(columns, cells, line));
    else columns = unique(cells.map((name) => name.trim()));
  });
}

function jsonRow(item: string, line: number): Row {
  try {
    return { line, values: valuesOf(item), text: clip(item) };
  } catch (err) {
    const problem = err instanceof SyntaxError ? "is not JSON" : (err as Error).message;
    return { line, values: {}, text: clip(item), problem };
  }
}

function csvRow(columns: string[], cells: string[], line: number): Row {
  const values: Row["values"] = Object.create(null);
  columns.forEach((name, i) => {
    if (cells[i]) values[name] = cells[i];
  });
  const row: Row = { line, values, text: clip(cells.join(", ")) };
  if (cells.slice(columns.length).some(Boolean)) row.problem = `has ${cells.length} columns, the first line has ${columns.length}`;
  return row;
}

// unique names columns so that no two are alike and all have a name.
function unique(names: string[]): string[] {
  const seen = new Set<string>();
  return names.map((name, i) => {
    let own = name || `Column ${i + 1}`;
    for (let n = 2; seen.has(own); n++) own = `${name || `Column ${i + 1}`} (${n})`;
    seen.add(own);
    return own;
  });
}

// A Sample is the beginning of a file.
export interface Sample {
  rows: Row[];
  columns: string[];
  encoding: Encoding;
}

const sampled = 500;

// readSample reads the first rows. Without an encoding it takes the first that fits.
export async function readSample(file: File, encoding?: Encoding): Promise<Sample> {
  if (!encoding && (await beginsWith(file, 0xff, 0xfe))) encoding = "utf-16le";
  if (!encoding) return readSample(file, "utf-8").catch(() => readSample(file, "windows-1252"));
  const rows: Row[] = [];
  for await (const chunk of readRows(file, encoding)) {
    rows.push(...chunk.rows);
    if (rows.length >= sampled) break;
  }
  const columns = new Set(rows.flatMap((row) => Object.keys(row.values)));
  return { rows: rows.slice(0, sampled), columns: [...columns], encoding };
}
