// Tables as files of comma-separated values.

export type Cell = string | number | null | undefined;

// cell writes one value. A text that a spreadsheet would run as a formula gets an apostrophe before it.
function cell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^\s*[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toCSV(head: string[], rows: Cell[][]): string {
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

// download hands a text to the browser as a file.
export function download(name: string, text: string, type = "text/csv") {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const quote = '"'.charCodeAt(0);
const newline = "\n".charCodeAt(0);

// A CSVReader reads comma-, semicolon- or tab-separated values, whichever the first line has most of, from pieces of a
// text that may end anywhere. Each row comes with the line it begins in.
export class CSVReader {
  private separator = "";
  private head = ""; // what came before the end of the first line
  private row: string[] = [];
  private value = "";
  private quoted = false;
  private quote = false; // a quote in a quoted value came last: its end, or the first of two
  private line = 1;
  private rowLine = 1;

  constructor(private readonly onRow: (row: string[], line: number) => void) {}

  push(text: string) {
    if (!this.separator) {
      this.head += text;
      if (!this.head.includes("\n")) return;
      text = this.start();
    }
    this.read(text);
  }

  end() {
    if (!this.separator) this.read(this.start());
    if (this.value !== "" || this.row.length > 0 || this.quoted) this.endRow();
  }

  private start(): string {
    const text = this.head.replace(/^\uFEFF/, "");
    const first = text.split("\n", 1)[0];
    this.separator = [",", ";", "\t"].reduce((a, b) => (first.split(b).length > first.split(a).length ? b : a));
    this.head = "";
    return text;
  }

  // read goes from one character that means something to the next; what is between them is taken as a whole.
  private read(text: string) {
    const separator = this.separator.charCodeAt(0);
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c !== quote && c !== newline && c !== separator && !this.quote) continue;
      if (c === newline) this.line++;
      if (this.quote) {
        this.quote = false;
        if (c === quote) continue; // the second of two: from stands at it
        this.quoted = false;
        from = i;
        if (c !== newline && c !== separator) continue;
      } else if (this.quoted) {
        if (c !== quote) continue;
        this.value += text.slice(from, i);
        this.quote = true;
        from = i + 1;
        continue;
      }
      if (c === quote) {
        if (this.value !== "" || i > from) continue; // in the middle of a value it is a character like others
        this.quoted = true;
        from = i + 1;
        continue;
      }
      this.value += text.slice(from, i);
      from = i + 1;
      if (c === newline) this.endRow();
      else this.endValue();
    }
    this.value += text.slice(from);
  }

  private endValue() {
    this.row.push(this.value);
    this.value = "";
  }

  private endRow() {
    this.value = this.value.replace(/\r$/, "");
    this.endValue();
    if (this.row.length > 1 || this.row[0] !== "") this.onRow(this.row, this.rowLine);
    this.row = [];
    this.quoted = this.quote = false;
    this.rowLine = this.line;
  }
}

// parseCSV reads a whole file.
export function parseCSV(text: string): { rows: string[][]; lines: number[] } {
  const rows: string[][] = [];
  const lines: number[] = [];
  const reader = new CSVReader((row, line) => {
    rows.push(row);
    lines.push(line);
  });
  reader.push(text);
  reader.end();
  return { rows, lines };
}
