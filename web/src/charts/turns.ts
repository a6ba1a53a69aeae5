// Charts are drawn one after the other, so that the browser can respond to the user in between.
// The charts on the screen come first.

interface Turn {
  element: HTMLElement;
  run: () => void;
}

const waiting = new Set<Turn>();
let scheduled = false;

// inTurn runs a function when it is the turn of an element. The result cancels it.
export function inTurn(element: HTMLElement, run: () => void): () => void {
  const turn = { element, run };
  waiting.add(turn);
  schedule();
  return () => {
    waiting.delete(turn);
  };
}

function schedule() {
  if (scheduled || waiting.size === 0) return;
  scheduled = true;
  setTimeout(() => {
    scheduled = false;
    const next = nearest();
    if (!next) return;
    waiting.delete(next);
    schedule(); // even if the turn fails
    next.run();
  });
}

// runAll runs everything that waits, for a page that is about to be printed.
export function runAll() {
  for (const turn of [...waiting]) {
    waiting.delete(turn);
    turn.run();
  }
}

// nearest returns the turn of the element closest to the screen, and of equals the oldest.
function nearest(): Turn | undefined {
  let found: Turn | undefined;
  let least = Infinity;
  for (const turn of waiting) {
    const { top, bottom } = turn.element.getBoundingClientRect();
    const distance = Math.max(0, top - window.innerHeight, -bottom);
    if (distance < least) [found, least] = [turn, distance];
  }
  return found;
}
