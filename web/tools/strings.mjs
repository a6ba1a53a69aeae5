// Fails if code in src contains text that users read. All such text belongs in src/strings. It finds
//
//   <p>Text</p>, <p>{busy ? "Saving…" : "Save"}</p>     children of JSX elements
//   <Card title="Posts">, <a aria-label={`Open ${x}`}>  attributes that users read
//   { value: "day", name: "Day" }                       properties that users read
//   toast("Saved.")                                     arguments of functions that show messages
//
//   node tools/strings.mjs
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

const attributes = new Set(["action", "alt", "aria-label", "caption", "copied", "empty", "hint", "label", "lead", "note", "placeholder", "summary", "title"]);
const properties = new Set(["caption", "head", "hint", "label", "name", "note", "placeholder", "title"]);
const literal = new Set(["code", "kbd"]); // elements whose text is the same in every language
const functions = new Set(["confirm", "setError", "toast"]);

const hasLetters = (text) => /\p{L}/u.test(text);

// texts returns the literals with letters that an expression may evaluate to.
function texts(node) {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" && hasLetters(node.value) ? [node] : [];
    case "TemplateLiteral":
      return node.quasis.some((q) => hasLetters(q.value.cooked)) ? [node] : [];
    case "ConditionalExpression":
      return [...texts(node.consequent), ...texts(node.alternate)];
    case "LogicalExpression":
      return [...texts(node.left), ...texts(node.right)];
    case "ArrayExpression":
      return node.elements.flatMap(texts);
    case "JSXText":
      return hasLetters(node.value) ? [node] : [];
    case "JSXExpressionContainer":
      return texts(node.expression);
    default:
      return [];
  }
}

const nameOf = (node) => (node.type === "JSXNamespacedName" ? `${node.namespace.name}:${node.name.name}` : node.name);

// violations returns the nodes with text that users read, directly at a node.
function violations(node) {
  switch (node.type) {
    case "JSXElement":
      if (literal.has(node.openingElement.name.name)) return [];
      return node.children.flatMap(texts);
    case "JSXFragment":
      return node.children.flatMap(texts);
    case "JSXAttribute":
      return attributes.has(nameOf(node.name)) ? texts(node.value) : [];
    case "Property":
      return properties.has(node.key.name) ? texts(node.value) : [];
    case "CallExpression":
      return functions.has(node.callee.property?.name ?? node.callee.name) ? texts(node.arguments[0]) : [];
    default:
      return [];
  }
}

// walk calls fn for a node and all nodes below it.
function walk(node, fn) {
  if (Array.isArray(node)) return node.forEach((n) => walk(n, fn));
  if (typeof node?.type !== "string") return;
  fn(node);
  for (const child of Object.values(node)) if (child && typeof child === "object") walk(child, fn);
}

for (const file of readdirSync("src", { recursive: true }).sort()) {
  if (!/\.tsx?$/.test(file) || file.startsWith("strings/") || file === "lib/types.ts") continue;
  const source = readFileSync(join("src", file), "utf8");
  walk(parseSync(file, source).program, (node) => {
    for (const { start, end } of violations(node)) {
      const line = source.slice(0, start).split("\n").length;
      console.error(`src/${file}:${line}: move this text to src/strings: ${source.slice(start, end).trim()}`);
      process.exitCode = 1;
    }
  });
}
