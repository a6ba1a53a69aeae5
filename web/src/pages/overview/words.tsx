import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { wordCloudChart, loadWordCloud } from "../../charts/wordcloud";
import { quoteTerm } from "../../lib/filter";
import type { NameCount } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import type { RefineHandler } from "./props";

// Words shows the words that posts use most; a click shows the posts that have one.
export function Words({ words, error, file, onRefine }: { words?: NameCount[]; error?: Error; file: string; onRefine: RefineHandler }) {
  const option = useCallback((c: Colors) => wordCloudChart(words ?? [], c), [words]);
  if (!words) {
    return (
      <Card title="Words" class="c6 fill">
        {error ? <ErrorNotice error={error} /> : <Skeleton height="18rem" label="Counting words" />}
      </Card>
    );
  }
  return (
    <ChartCard class="c6" title="Words" note="How often, in a sample of the posts" file={`${file}-words`} table={{ head: ["Word", "Times"], rows: words.map((w) => [w.name, w.posts]) }}>
      {words.length === 0 ? <p class="muted">No words in these posts.</p> : <Chart tall label={`Most frequent words: ${words.slice(0, 10).map((w) => w.name).join(", ")}`} option={option} prepare={loadWordCloud} onPick={(p) => onRefine(["keywords", quoteTerm(p.name)])} />}
    </ChartCard>
  );
}
