import { useState } from "preact/hooks";
import { Card, EmptyState, ErrorNotice, SegmentedControl } from "../../components/basics";
import { label as text } from "../../strings/label";
import type { Deck } from "./deck";

const sizes = ["30", "50", "100", "200"];

// Draw draws a random sample of posts.
export function Draw({ deck, first }: { deck: Deck; first: boolean }) {
  const [size, setSize] = useState("50");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const draw = async () => {
    setBusy(true);
    setError(undefined);
    await deck.draw(Number(size)).catch(setError);
    setBusy(false);
  };
  return (
    <Card label={text.drawTitle}>
      {error && <ErrorNotice error={error} />}
      <EmptyState
        title={first ? text.drawTitle : text.doneTitle}
        actions={
          <>
            <SegmentedControl label={text.howMany} value={size} onChange={setSize} options={sizes.map((n) => ({ value: n, name: n }))} />
            <button type="button" class="button primary" disabled={busy} onClick={draw}>
              {text.draw(Number(size))}
            </button>
          </>
        }
      >
        {first ? text.drawText : text.doneText}
      </EmptyState>
    </Card>
  );
}
