import { ApiError, call } from "../../lib/api";
import type { CheckedContent, UploadResponse } from "../../lib/types";
import { itemOf, type Item, type Plan } from "./fields";
import { readRows, type Encoding, type Row } from "./read";

// A Job is a file, how it is read, and where its documents go.
export interface Job {
  file: File;
  encoding: Encoding;
  plan: Plan;
  source: number;
}

// A Piece is as many documents as one request takes. The same file gives the same pieces each time: within one, the
// server finds documents that are there twice.
interface Piece {
  first: number; // index of its first row in the file
  rows: Row[];
  items: Item[];
  bytes: number; // of the file, up to its end
}

const mostItems = 1000;
const mostText = 4_000_000; // characters of a request; the server takes some more

async function* pieces(job: Job, from = 0): AsyncGenerator<Piece> {
  let piece: Piece = { first: 0, rows: [], items: [], bytes: 0 };
  let size = 0;
  let count = 0;
  for await (const chunk of readRows(job.file, job.encoding)) {
    for (const row of chunk.rows) {
      const item = itemOf(row, job.plan);
      const length = JSON.stringify(item).length;
      if (piece.rows.length === mostItems || (piece.rows.length > 0 && size + length > mostText)) {
        if (count++ >= from) yield { ...piece, bytes: chunk.bytes };
        piece = { first: piece.first + piece.rows.length, rows: [], items: [], bytes: 0 };
        size = 0;
      }
      piece.rows.push(row);
      piece.items.push(item);
      size += length;
    }
  }
  if (piece.rows.length && count >= from) yield { ...piece, bytes: job.file.size };
}

// A Problem is why a row cannot be uploaded.
export interface Problem {
  line: number;
  message: string;
  text: string;
}

// A Report is what a check found.
export interface Report {
  rows: number;
  refused: Set<number>; // indices of rows
  problems: Problem[]; // the first of them
  problemCount: number;
}

export const mostProblems = 5000;

// A Watch is told how far a job is, and whether to go on.
export interface Watch {
  signal: AbortSignal;
  onWait: (seconds: number) => void; // the server wants to be left alone for so long; 0: no more
}

// check has the server look at every row. Nothing is stored.
export async function check(job: Job, watch: Watch, onProgress: (report: Report, share: number) => void): Promise<Report> {
  const report: Report = { rows: 0, refused: new Set(), problems: [], problemCount: 0 };
  const refuse = (piece: Piece, i: number, message: string) => {
    const row = piece.rows[i];
    report.refused.add(piece.first + i);
    report.problemCount++;
    if (report.problems.length < mostProblems) report.problems.push({ line: row.line, message: message.replace(/items\[(\d+)\]/g, (_, n) => `line ${piece.rows[Number(n)]?.line ?? n}`), text: row.text });
  };
  for await (const piece of pieces(job)) {
    const indices = piece.rows.flatMap((row, i) => (row.problem ? [] : [i]));
    piece.rows.forEach((row, i) => row.problem && refuse(piece, i, row.problem));
    const before = report.problems.length;
    if (indices.length) {
      const answer = await patiently(watch, () =>
        call<CheckedContent>("POST", "/manage/v1/content/check", { body: { items: indices.map((i) => piece.items[i]), contentSource: job.source }, signal: watch.signal }),
      );
      // The server counts those that were sent; messages that name another document are of them, too.
      for (const e of answer.errors) refuse(piece, indices[e.index], e.message.replace(/items\[(\d+)\]/g, (_, n) => `items[${indices[Number(n)]}]`));
    }
    if (report.problems.length > before) report.problems.sort((a, b) => a.line - b.line);
    report.rows += piece.rows.length;
    onProgress({ ...report }, piece.bytes / job.file.size);
  }
  return report;
}

// Sent is how far an upload is.
export interface Sent {
  pieces: number;
  documents: number;
  used?: number; // documents of the last 24 hours
  contracted?: number; // how many there may be; 0: any number
}

const unlimited = 2 ** 31 - 1; // what the server says where nothing limits

// upload sends the rows that the check did not refuse, all as one batch, and goes on behind what was sent before. When it is
// to stop it waits for the answer to what is on the way.
export async function upload(job: Job, refused: Set<number>, batch: string, before: Sent, watch: Watch, onProgress: (sent: Sent) => void): Promise<Sent> {
  let sent = before;
  for await (const piece of pieces(job, before.pieces)) {
    const items = piece.items.filter((_, i) => !refused.has(piece.first + i));
    if (items.length === 0) {
      sent = { ...sent, pieces: sent.pieces + 1 };
      continue;
    }
    const answer = await patiently(watch, () =>
      call<UploadResponse>("POST", "/api/content/upload", { query: { documentType: job.source, batch }, body: { items, requestUsage: true } }),
    );
    sent = {
      pieces: sent.pieces + 1,
      documents: sent.documents + answer.uploadCount,
      used: answer.DocumentsUploadedInLastTwentyFourHours,
      contracted: answer.ContractedDocumentsWithinTwentyFourHours === unlimited ? 0 : answer.ContractedDocumentsWithinTwentyFourHours,
    };
    onProgress(sent);
    watch.signal.throwIfAborted();
  }
  return sent;
}

const longestWait = 120;

// patiently asks again when the server is busy or cannot be reached. Sending documents twice does no harm: the second
// replaces the first. A server that wants to be left alone for longer than two minutes, as when the contract is used up,
// is not asked again.
async function patiently<T>(watch: Watch, ask: () => Promise<T>): Promise<T> {
  for (let turn = 0; ; turn++) {
    try {
      return await ask();
    } catch (err) {
      const seconds = err instanceof ApiError ? waitFor(err, turn) : 0;
      if (!seconds) throw err;
      watch.onWait(seconds);
      await pause(seconds, watch.signal);
      watch.onWait(0);
    }
  }
}

function waitFor(err: ApiError, turn: number): number {
  if (err.status === 429 || err.status === 503) return err.retryAfter > longestWait || turn >= 20 ? 0 : err.retryAfter || 5;
  return err.status === 0 && turn < 5 ? 2 ** turn : 0;
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal.addEventListener("abort", stop, { once: true });
  });
}
