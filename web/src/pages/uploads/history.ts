// The uploads from this browser, kept in local storage so that they can be deleted. The server
// stores the batch with each document.

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

// remember stores an upload and replaces an earlier entry of the same batch, so that it can be
// called during the upload.
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
    // no local storage: the page still shows the batch
  }
}

// newBatch returns a batch id: the file name, the time and a random suffix.
export function newBatch(file: string): string {
  const random = crypto.getRandomValues(new Uint32Array(1))[0].toString(36);
  return `${file.slice(0, 80)} ${new Date().toISOString().slice(0, 19)} ${random}`;
}
