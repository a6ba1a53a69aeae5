// Tokenizes queries for syntax highlighting. Only the server decides whether a query is valid
// (docs/query-language.md); this tokenizer follows internal/query closely enough to color it.

export type Kind = "space" | "word" | "operator" | "phrase" | "exact" | "field" | "wildcard" | "tag" | "range" | "open" | "close" | "comment";

export interface Token {
  kind: Kind;
  from: number; // offsets in UTF-16 code units; to is exclusive
  to: number;
}

const quotes = '"“”„‟＂';
const fieldName = /^(title|contents|author|bio|url|links|site|hashtags|at_mentions|engagementType|engagingWith|source|pubType|language|country|region|city|continent|latitude|longitude|authorGender|authorFollowers|authorVerified|rating|guid|parentGuid|pageId|raw|custom\.[^:]+):/i;

// tokens splits a query into tokens, in order and without gaps.
export function tokens(text: string): Token[] {
  const list: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    list.push(token);
    at = token.to;
  }
  return list;
}

function tokenAt(text: string, from: number): Token {
  const rest = text.slice(from, from + 200);
  const token = (kind: Kind, length: number): Token => ({ kind, from, to: from + length });
  const until = (end: string, kind: Kind): Token => {
    const at = text.indexOf(end, from + 1);
    return { kind, from, to: at < 0 ? text.length : at + end.length };
  };
  if (/^\s/.test(rest)) return token("space", rest.match(/^\s+/)![0].length);
  if (rest.startsWith("<<<")) return until(">>>", "comment");
  if (rest[0] === "(") return token("open", 1);
  if (rest[0] === ")") return token("close", 1);
  if (rest[0] === "{") return until("}", "exact");
  const within = rest.match(/^~\d*/);
  if (within) return token("operator", within[0].length);
  const range = rest.match(/^\[[^\]]* TO [^\]]*\]/);
  if (range) return token("range", range[0].length);
  if (/^-\S/.test(rest)) return token("operator", 1);
  if (isQuote(text, from)) return { kind: "phrase", from, to: phraseEnd(text, from) };
  return wordAt(text, from);
}

// isQuote reports whether a phrase starts or ends at an offset. A quote between two Hebrew letters
// is part of an abbreviation.
function isQuote(text: string, at: number): boolean {
  if (text.startsWith('\\"', at)) return true;
  if (at >= text.length || !quotes.includes(text[at])) return false;
  return !(/\p{Script=Hebrew}/u.test(text[at - 1] ?? "") && /\p{Script=Hebrew}/u.test(text[at + 1] ?? ""));
}

function phraseEnd(text: string, from: number): number {
  const escaped = text.startsWith('\\"', from);
  for (let i = from + (escaped ? 2 : 1); i < text.length; i++) {
    const inner = text.startsWith('\\"', i);
    if (inner && !escaped) i++;
    else if (isQuote(text, i)) return i + (inner ? 2 : 1);
  }
  return text.length;
}

function wordAt(text: string, from: number): Token {
  let to = from + 1;
  while (to < text.length && !/[\s(){}~]/.test(text[to]) && !isQuote(text, to) && !text.startsWith("<<<", to)) to++;
  const word = text.slice(from, to);
  const field = word.match(fieldName);
  if (field) return { kind: "field", from, to: from + field[0].length };
  return { kind: kindOf(word), from, to };
}

function kindOf(word: string): Kind {
  if (/^(AND|OR|NOT|O?NEAR(\/\d+f?)?)$/.test(word)) return "operator";
  if (/^[#@$]\S/.test(word)) return "tag";
  return /[*?]/.test(word) ? "wildcard" : "word";
}

// offsetOf converts a position from the server, which counts code points from 1, to an offset in
// UTF-16 code units.
export function offsetOf(text: string, position: number): number {
  let offset = 0;
  for (let n = 1; n < position && offset < text.length; n++) offset += text.codePointAt(offset)! > 0xffff ? 2 : 1;
  return offset;
}

// pairAt returns the parenthesis next to the caret and its counterpart, or an empty list.
export function pairAt(list: Token[], caret: number): Token[] {
  const at = list.findIndex((t) => (t.kind === "open" || t.kind === "close") && (t.to === caret || t.from === caret));
  if (at < 0) return [];
  const step = list[at].kind === "open" ? 1 : -1;
  for (let i = at, depth = 0; i >= 0 && i < list.length; i += step) {
    if (list[i].kind === "open") depth++;
    if (list[i].kind === "close") depth--;
    if (depth === 0) return [list[at], list[i]];
  }
  return [];
}
