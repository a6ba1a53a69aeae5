// A Range is the start and end of a highlight, in UTF-16 code units. The end is exclusive.
export type Range = [number, number];

// Highlighted shows a text with the given ranges highlighted. It ignores the parts of ranges that
// overlap or lie outside of the text.
export function Highlighted({ text, ranges = [] }: { text: string; ranges?: Range[] }) {
  return (
    <>
      {split(text, ranges).map((piece, i) => (piece.highlighted ? <mark key={i}>{piece.text}</mark> : piece.text))}
    </>
  );
}

// split splits a text at the boundaries of the ranges.
function split(text: string, ranges: Range[]): { text: string; highlighted: boolean }[] {
  const pieces: { text: string; highlighted: boolean }[] = [];
  let at = 0;
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(at, from);
    const end = Math.min(text.length, to);
    if (start >= end) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), highlighted: false });
    pieces.push({ text: text.slice(start, end), highlighted: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), highlighted: false });
  return pieces;
}
