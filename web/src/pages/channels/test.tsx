import { useState } from "preact/hooks";
import { post } from "../../lib/api";
import type { Delivery } from "../../lib/types";
import { Notice } from "../../components/basics";
import { sentence } from "./state";
import { channels as text } from "../../strings/channels";

// A Test sends a test message to a channel.
export interface Test {
  busy: boolean;
  outcome?: { works: boolean; message: string };
  run: () => Promise<void>;
}

// useTest returns the test of a channel. onDone runs after each attempt.
export function useTest(channel: number, onDone?: () => void): Test {
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Test["outcome"]>();
  const run = async () => {
    setBusy(true);
    setOutcome(undefined);
    try {
      const tested = await post<Delivery>(`/manage/v1/channels/${channel}/test`);
      setOutcome(tested.state === "sent" ? { works: true, message: text.testWorks } : { works: false, message: text.testFails(sentence(tested.error)) });
    } catch (err) {
      setOutcome({ works: false, message: text.testFails(sentence((err as Error).message)) });
    }
    setBusy(false);
    onDone?.();
  };
  return { busy, outcome, run };
}

// TestOutcome says whether the test message arrived.
export function TestOutcome({ test }: { test: Test }) {
  return <div aria-live="polite">{test.outcome && <Notice kind={test.outcome.works ? "good" : "bad"}>{test.outcome.message}</Notice>}</div>;
}
