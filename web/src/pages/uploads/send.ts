import { ApiError, call } from "../../lib/api";
import type { CheckedContent, UploadResponse } from "../../lib/types";
import { uploads } from "../../strings/uploads";
import { explain, itemOf, type Item, type Plan } from "./fields";
import { readRows, type Encoding, type Row } from "./read";

// A Job is a file, how to read it, and the content source of its documents.
export interface Job {
  file: File;
  encoding: Encoding;
  plan: Plan;
  source: number;
}

// A RequestChunk is the documents of one request. A file is always split into the same chunks,
// because the server detects duplicates only within a request: the upload must send together what
// the check has seen together.
interface RequestChunk {
  first: number; // index of its first row in the file
  rows: Row[];
  items: Item[];
  bytes: number; // of the file, up to the end of the chunk
}

const maxItems = 1000;
const maxCharacters = 4_000_000; // of a request, somewhat below the server's limit

async function* requestChunks(job: Job, from = 0): AsyncGenerator<RequestChunk> {
  let request: RequestChunk = { first: 0, rows: [], items: [], bytes: 0 };
  let size = 0;
  let count = 0;
  for await (const chunk of readRows(job.file, job.encoding)) {
    for (const row of chunk.rows) {
      const item = itemOf(row, job.plan);
      const length = JSON.stringify(item).length;
      if (request.rows.length === maxItems || (request.rows.length > 0 && size + length > maxCharacters)) {
        if (count++ >= from) yield { ...request, bytes: chunk.bytes };
        request = { first: request.first + request.rows.length, rows: [], items: [], bytes: 0 };
        size = 0;
      }
      request.rows.push(row);
      request.items.push(item);
      size += length;
    }
  }
  if (request.rows.length && count >= from) yield { ...request, bytes: job.file.size };
}

// A Problem is a row that cannot be uploaded, with the reason.
export interface Problem {
  line: number;
  message: string;
  text: string;
}

// A Report is the result of a check.
export interface Report {
  rows: number;
  refused: Set<number>; // indices of invalid rows
  problems: Problem[]; // the first maxProblems problems
  problemCount: number;
  first: string; // day of the earliest document, or ""
}

const maxProblems = 5000; // bounds the memory for files in which every row is invalid

// A JobControl stops a job and is notified when the job has to wait.
export interface JobControl {
  signal: AbortSignal;
  onWait: (seconds: number) => void; // the time until the next retry; 0 when the wait is over
}

// check validates every row on the server. Nothing is stored.
export async function check(job: Job, watch: JobControl, onProgress: (report: Report, share: number) => void): Promise<Report> {
  const report: Report = { rows: 0, refused: new Set(), problems: [], problemCount: 0, first: "" };
  const refuse = (chunk: RequestChunk, i: number, message: string) => {
    const row = chunk.rows[i];
    report.refused.add(chunk.first + i);
    report.problemCount++;
    if (report.problems.length < maxProblems) report.problems.push({ line: row.line, message: message.replace(/items\[(\d+)\]/g, (_, n) => uploads.line(chunk.rows[Number(n)]?.line ?? n)), text: row.text });
  };
  for await (const chunk of requestChunks(job)) {
    const indices = chunk.rows.flatMap((row, i) => (row.problem ? [] : [i]));
    chunk.rows.forEach((row, i) => row.problem && refuse(chunk, i, row.problem));
    const before = report.problems.length;
    if (indices.length) {
      const response = await withRetry(watch, () =>
        call<CheckedContent>("POST", "/manage/v1/content/check", { body: { items: indices.map((i) => chunk.items[i]), contentSource: job.source }, signal: watch.signal }),
      );
      // The server's indices, also those in its messages, count only the rows that were sent.
      for (const e of response.errors) {
        const message = explain(e.message, chunk.rows[indices[e.index]], job.plan);
        refuse(chunk, indices[e.index], message.replace(/items\[(\d+)\]/g, (_, n) => `items[${indices[Number(n)]}]`));
      }
    }
    if (report.problems.length > before) report.problems.sort((a, b) => a.line - b.line);
    chunk.items.forEach((item, i) => {
      const day = String(item.date ?? "").slice(0, 10);
      if (!report.refused.has(chunk.first + i) && day && (!report.first || day < report.first)) report.first = day;
    });
    report.rows += chunk.rows.length;
    onProgress({ ...report }, chunk.bytes / job.file.size);
  }
  return report;
}

// UploadProgress is the progress of an upload.
export interface UploadProgress {
  chunks: number;
  documents: number;
  used?: number; // documents uploaded in the last 24 hours
  contracted?: number; // the limit for 24 hours; 0 if there is none
}

const unlimited = 2 ** 31 - 1; // what the server reports if there is no limit

// upload sends the rows that passed the check, all with the same batch, and continues after the
// chunks that were already sent. When stopped, it waits for the response to the request in flight.
export async function upload(job: Job, refused: Set<number>, batch: string, before: UploadProgress, watch: JobControl, onProgress: (sent: UploadProgress) => void): Promise<UploadProgress> {
  let sent = before;
  for await (const chunk of requestChunks(job, before.chunks)) {
    const items = chunk.items.filter((_, i) => !refused.has(chunk.first + i));
    if (items.length === 0) {
      sent = { ...sent, chunks: sent.chunks + 1 };
      continue;
    }
    const response = await withRetry(watch, () =>
      call<UploadResponse>("POST", "/api/content/upload", { query: { documentType: job.source, batch }, body: { items, requestUsage: true } }),
    );
    sent = {
      chunks: sent.chunks + 1,
      documents: sent.documents + response.uploadCount,
      used: response.DocumentsUploadedInLastTwentyFourHours,
      contracted: response.ContractedDocumentsWithinTwentyFourHours === unlimited ? 0 : response.ContractedDocumentsWithinTwentyFourHours,
    };
    onProgress(sent);
    watch.signal.throwIfAborted();
  }
  return sent;
}

const maxWait = 120; // seconds

// withRetry retries a request if the server is busy or unreachable. Repeating an upload is harmless
// because documents with the same id are replaced. It gives up if the server asks for a longer wait
// than maxWait, for example because the contract's limit is reached.
async function withRetry<T>(watch: JobControl, request: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await request();
    } catch (err) {
      const seconds = err instanceof ApiError ? retryDelay(err, attempt) : 0;
      if (!seconds) throw err;
      watch.onWait(seconds);
      await sleep(seconds, watch.signal);
      watch.onWait(0);
    }
  }
}

function retryDelay(err: ApiError, attempt: number): number {
  if (err.status === 429 || err.status === 503) return err.retryAfter > maxWait || attempt >= 20 ? 0 : err.retryAfter || 5;
  return err.status === 0 && attempt < 5 ? 2 ** attempt : 0;
}

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
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
