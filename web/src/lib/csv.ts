// Tables as files of comma-separated values.

export type Cell = string | number | null | undefined;

// cell writes one value. A text that a spreadsheet would run as a formula gets an apostrophe before it.
function cell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const safe = /^\s*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toCSV(head: string[], rows: Cell[][]): string {
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

// save hands a text to the browser as a file.
export function save(name: string, text: string, type = "text/csv") {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// parseCSV reads a file of comma-, semicolon- or tab-separated values: whichever the first line has most of. Each row
// comes with the line it begins in.
export function parseCSV(text: string): { rows: string[][]; lines: number[] } {
  text = text.replace(/^\uFEFF/, "");
  const first = text.split(/\r?\n/, 1)[0];
  const separator = [",", ";", "\t"].reduce((a, b) => (first.split(b).length > first.split(a).length ? b : a));
  const rows: string[][] = [];
  const lines: number[] = [];
  let row: string[] = [];
  let value = "";
  let quoted = false;
  let line = 1;
  let began = 1;
  const endRow = () => {
    row.push(value);
    if (row.length > 1 || row[0] !== "") {
      rows.push(row);
      lines.push(began);
    }
    row = [];
    value = "";
    began = line;
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "\n") line++;
    if (quoted) {
      if (c !== '"') value += c;
      else if (text[i + 1] === '"') {
        value += '"';
        i++;
      } else quoted = false;
    } else if (c === '"' && value === "") quoted = true;
    else if (c === separator) {
      row.push(value);
      value = "";
    } else if (c === "\n") endRow();
    else if (c !== "\r" || text[i + 1] !== "\n") value += c;
  }
  if (value !== "" || row.length > 0) endRow();
  return { rows, lines };
}
