import { CSVReader } from "../../lib/csv";
import { uploads } from "../../strings/uploads";
import { JSONReader, valuesOf } from "./json";

// A Row is one document of a file: its line and its values by column.
export interface Row {
  line: number;
  values: Record<string, string>;
  text: string; // the raw text, truncated
  problem?: string; // why it cannot be read
}

export type Encoding = keyof typeof uploads.encodings;
export const encodings = Object.entries(uploads.encodings).map(([value, name]) => ({ value, name }));

// A Chunk is a run of rows and the number of bytes of the file read so far.
export interface Chunk {
  rows: Row[];
  bytes: number;
}

const clip = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

async function beginsWith(file: File, ...bytes: number[]): Promise<boolean> {
  const first = new Uint8Array(await file.slice(0, bytes.length).arrayBuffer());
  return first.length === bytes.length && bytes.every((b, i) => first[i] === b);
}

// isBinary reports whether a text has control characters that no text file has.
const isBinary = (text: string) => /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text.slice(0, 4096));

// readRows streams the rows of a file, so that files of any size fit in memory. It reads CSV, JSON
// Lines or one JSON array, optionally gzipped.
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
        throw new Error(gzip ? uploads.damaged : uploads.wrongEncoding);
      });
      if (done) break;
      if (!reader && isBinary(value)) throw new Error(uploads.notText);
      if (!reader && !value.trim()) continue;
      reader ??= readerFor(value, (row) => rows.push(row));
      reader.push(value);
      if (rows.length) yield { rows, bytes };
      rows = [];
    }
    reader?.end();
    if (rows.length) yield { rows, bytes };
  } finally {
    texts.cancel().catch(() => {}); // the rest of the file is not needed
  }
}

// readerFor returns a JSON or CSV reader, depending on how the text starts.
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
    const problem = err instanceof SyntaxError ? uploads.notJSON : (err as Error).message;
    return { line, values: {}, text: clip(item), problem };
  }
}

function csvRow(columns: string[], cells: string[], line: number): Row {
  const values: Row["values"] = Object.create(null);
  columns.forEach((name, i) => {
    if (cells[i]) values[name] = cells[i];
  });
  const row: Row = { line, values, text: clip(cells.join(", ")) };
  if (cells.slice(columns.length).some(Boolean)) row.problem = uploads.columnCount(cells.length, columns.length);
  return row;
}

// unique names unnamed columns and numbers repeated names, so that all names differ.
function unique(names: string[]): string[] {
  const seen = new Set<string>();
  return names.map((name, i) => {
    const base = name || uploads.unnamedColumn(i + 1);
    let own = base;
    for (let n = 2; seen.has(own); n++) own = uploads.repeatedColumn(base, n);
    seen.add(own);
    return own;
  });
}

// A Sample is the first rows of a file.
export interface Sample {
  rows: Row[];
  columns: string[];
  encoding: Encoding;
}

const sampled = 500; // rows

// readSample reads the first rows. Without an encoding it tries UTF-8, then Windows-1252; a byte
// order mark selects UTF-16.
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
