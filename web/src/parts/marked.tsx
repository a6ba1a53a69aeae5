export type Range = [number, number];

// Marked is a text in which ranges are marked. Ranges that overlap or lie outside of the text do no harm.
export function Marked({ text, ranges = [] }: { text: string; ranges?: Range[] }) {
  return (
    <>
      {cut(text, ranges).map((piece, i) => (piece.marked ? <mark key={i}>{piece.text}</mark> : piece.text))}
    </>
  );
}

// cut takes a text apart where ranges begin and end.
function cut(text: string, ranges: Range[]): { text: string; marked: boolean }[] {
  const pieces: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(at, from);
    const end = Math.min(text.length, to);
    if (start >= end) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), marked: false });
    pieces.push({ text: text.slice(start, end), marked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), marked: false });
  return pieces;
}
