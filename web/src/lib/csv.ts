// Writes and reads CSV.

export type Cell = string | number | null | undefined;

// cell encodes one value. It puts an apostrophe before text that a spreadsheet would evaluate as a
// formula.
function cell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^\s*[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toCSV(head: string[], rows: Cell[][]): string {
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

// download saves a text as a file in the browser.
export const download = (name: string, text: string, type = "text/csv") => save(name, new Blob([text], { type: `${type};charset=utf-8` }));

// save saves data as a file in the browser.
export function save(name: string, data: Blob) {
  const url = URL.createObjectURL(data);
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

// A CSVReader parses text in chunks, which may end anywhere. The separator is the comma, semicolon
// or tab, whichever is most frequent in the first line. onRow receives each row with its first line
// number, starting at 1. Empty lines are skipped.
export class CSVReader {
  private separator = "";
  private head = ""; // the first line, until it is complete
  private row: string[] = [];
  private value = "";
  private quoted = false;
  private quote = false; // the last character was a quote inside a quoted value: the end of it, or the first of an escaped pair
  private line = 1;
  private rowLine = 1;

  constructor(private readonly onRow: (row: string[], line: number) => void) {}

  // push parses the next chunk.
  push(text: string) {
    if (!this.separator) {
      this.head += text;
      if (!this.head.includes("\n")) return;
      text = this.start();
    }
    this.read(text);
  }

  // end parses what is left after the last chunk.
  end() {
    if (!this.separator) this.read(this.start());
    if (this.value !== "" || this.row.length > 0 || this.quoted) this.endRow();
  }

  // start detects the separator and returns the text that was held back to do so, without a byte
  // order mark.
  private start(): string {
    const text = this.head.replace(/^\uFEFF/, "");
    const first = text.split("\n", 1)[0];
    this.separator = [",", ";", "\t"].reduce((a, b) => (first.split(b).length > first.split(a).length ? b : a));
    this.head = "";
    return text;
  }

  // read skips from one special character (quote, separator, newline) to the next and copies the
  // text between them at once.
  private read(text: string) {
    const separator = this.separator.charCodeAt(0);
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c !== quote && c !== newline && c !== separator && !this.quote) continue;
      if (c === newline) this.line++;
      if (this.quote) {
        this.quote = false;
        if (c === quote) continue; // the second quote of a pair; from points at it, so it becomes part of the value
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
        if (this.value !== "" || i > from) continue; // a quote in the middle of an unquoted value is an ordinary character
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

// parseCSV parses a whole file. lines has the first line number of each row.
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
