// What was uploaded from this browser, so that it can be deleted again. The server keeps the batch with each document.

export interface RecentUpload {
  source: number;
  sourceName: string;
  batch: string;
  file: string;
  documents: number;
  time: string;
}

const key = "uploads";
const maxUploads = 20;

export function recentUploads(): RecentUpload[] {
  try {
    const list = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

// remember notes an upload, also one that is going on: it replaces what was noted of its batch.
export function remember(entry: RecentUpload) {
  write([entry, ...recentUploads().filter((r) => r.batch !== entry.batch)].slice(0, maxUploads));
}

export function forget(matches: (r: RecentUpload) => boolean) {
  write(recentUploads().filter((r) => !matches(r)));
}

function write(list: RecentUpload[]) {
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // a browser that keeps nothing: the page tells the batch anyway
  }
}

// newBatch names a batch after its file.
export function newBatch(file: string): string {
  const random = crypto.getRandomValues(new Uint32Array(1))[0].toString(36);
  return `${file.slice(0, 80)} ${new Date().toISOString().slice(0, 19)} ${random}`;
}
