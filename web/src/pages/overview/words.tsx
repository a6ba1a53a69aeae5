import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { cloudChart, loadCloud } from "../../charts/cloud";
import { asTerm } from "../../lib/filter";
import type { NameCount } from "../../lib/types";
import { Card, Failed, Waiting } from "../../parts/basics";
import { ChartCard } from "../../parts/chartcard";
import type { Narrow } from "./props";

// Words shows the words that posts use most; a click shows the posts that have one.
export function Words({ words, error, file, narrow }: { words?: NameCount[]; error?: Error; file: string; narrow: Narrow }) {
  const option = useCallback((c: Colors) => cloudChart(words ?? [], c), [words]);
  if (!words) {
    return (
      <Card title="Words" class="c6 fill">
        {error ? <Failed error={error} /> : <Waiting height="18rem" label="Counting words" />}
      </Card>
    );
  }
  return (
    <ChartCard class="c6" title="Words" note="How often, in a sample of the posts" file={`${file}-words`} table={{ head: ["Word", "Times"], rows: words.map((w) => [w.name, w.posts]) }}>
      {words.length === 0 ? <p class="muted">No words in these posts.</p> : <Chart tall label={`Most frequent words: ${words.slice(0, 10).map((w) => w.name).join(", ")}`} option={option} prepare={loadCloud} onPick={(p) => narrow(["keywords", asTerm(p.name)])} />}
    </ChartCard>
  );
}
