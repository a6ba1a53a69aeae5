import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { wordCloudChart } from "../../charts/wordcloud";
import { quoteTerm } from "../../lib/filter";
import type { NameCount } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import type { RefineHandler } from "./props";
import { overview } from "../../strings/overview";

// Words shows the most frequent words. A click on a word filters by it.
export function Words({ words, error, file, onRefine }: { words?: NameCount[]; error?: Error; file: string; onRefine?: RefineHandler }) {
  const option = useCallback((c: Colors) => wordCloudChart(words ?? [], c), [words]);
  if (!words) {
    return (
      <Card title={overview.words.title} class="c6 fill">
        {error ? <ErrorNotice error={error} /> : <Skeleton height="18rem" label={overview.countingWords} />}
      </Card>
    );
  }
  return (
    <ChartCard class="c6" pin="words" title={overview.words.title} note={overview.words.note} file={`${file}-words`} table={{ head: overview.words.columns, rows: words.map((w) => [w.name, w.posts]) }}>
      {words.length === 0 ? <p class="muted">{overview.words.none}</p> : <Chart tall label={overview.words.label(words.slice(0, 10).map((w) => w.name))} option={option} onPick={onRefine && ((p) => onRefine(["keywords", quoteTerm(p.name)]))} />}
    </ChartCard>
  );
}
