import { uploads } from "../../strings/uploads";

// A JSONReader splits JSON Lines or one JSON array into its items. The text arrives in chunks that
// may end anywhere. Each item is reported as text, with the line on which it starts.
export class JSONReader {
  private kind: "" | "lines" | "list" | "over" = "";
  private rest = ""; // the incomplete item at the end of the last chunk
  private line = 1;
  private depth = 0;
  private quoted = false;
  private escaped = false;

  constructor(private readonly onItem: (text: string, line: number) => void) {}

  push(text: string) {
    if (!this.kind) {
      this.rest += text;
      const first = this.rest.search(/\S/);
      if (first < 0) return;
      this.line += count(this.rest.slice(0, first));
      text = this.rest.slice(first);
      this.rest = "";
      this.kind = text[0] === "[" ? "list" : "lines";
      if (this.kind === "list") text = text.slice(1);
    }
    if (this.kind === "lines") this.readLines(text);
    else if (this.kind === "list") this.readList(text);
  }

  end() {
    if (this.kind === "lines" || this.kind === "list") this.take(this.rest);
    this.rest = "";
  }

  private readLines(text: string) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop()!;
    for (const line of lines) {
      this.take(line);
      this.line++;
    }
  }

  // readList splits at the commas between the items of the array.
  private readList(text: string) {
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (this.quoted) {
        if (this.escaped) this.escaped = false;
        else if (c === "\\") this.escaped = true;
        else if (c === '"') this.quoted = false;
      } else if (c === '"') this.quoted = true;
      else if (c === "{" || c === "[") this.depth++;
      else if (c === "}" || (c === "]" && this.depth > 0)) this.depth--;
      else if (this.depth === 0 && (c === "," || c === "]")) {
        this.cut(text.slice(from, i));
        from = i + 1;
        if (c === "]") {
          this.kind = "over";
          return;
        }
      }
    }
    this.rest += text.slice(from);
  }

  private cut(text: string) {
    const item = this.rest + text;
    this.rest = "";
    const space = item.length - item.trimStart().length;
    this.line += count(item.slice(0, space));
    this.take(item);
    this.line += count(item.slice(space));
  }

  private take(text: string) {
    if (text.trim()) this.onItem(text.trim(), this.line);
  }
}

const count = (text: string) => text.split("\n").length - 1;

type Values = Record<string, string>;
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

// valuesOf returns the values of a JSON object by name. Names of nested objects are joined with a
// dot, and the items of arrays with commas. Numbers keep their spelling if the browser provides it,
// because ids may exceed the precision of a JavaScript number.
export function valuesOf(text: string): Values {
  const value = parse(text, (_, v, context) => (typeof v === "number" ? (context?.source ?? String(v)) : v));
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(uploads.notObject);
  const values: Values = Object.create(null);
  flatten(value as Record<string, unknown>, "", values);
  return values;
}

function flatten(object: Record<string, unknown>, prefix: string, values: Values) {
  for (const [name, v] of Object.entries(object)) {
    if (v === null || v === undefined) continue;
    if (Array.isArray(v)) values[prefix + name] = v.map((x) => (typeof x === "object" ? JSON.stringify(x) : String(x))).join(", ");
    else if (typeof v === "object") flatten(v as Record<string, unknown>, `${prefix}${name}.`, values);
    else values[prefix + name] = String(v);
  }
}
