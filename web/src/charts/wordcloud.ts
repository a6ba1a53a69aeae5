import { seriesColor } from "../lib/color";
import type { NameCount } from "../lib/types";
import { tooltip, type Colors, type Option } from "./chart";
import { common } from "../strings/common";

// loadWordCloud registers the word cloud with ECharts.
export async function loadWordCloud() {
  await import("echarts-wordcloud");
}

// wordCloudChart draws the 80 most frequent words. Their sizes grow with the square root of their
// frequency, so that areas are proportional.
export function wordCloudChart(words: NameCount[], c: Colors): Option {
  return {
    tooltip: tooltip(c, { trigger: "item", formatter: (p: { name: string; data: { posts: number } }) => common.chart.word(p.name, p.data.posts) }),
    series: [
      {
        type: "wordCloud",
        shape: "square",
        keepAspect: false,
        left: 0,
        top: 0,
        width: "100%",
        height: "100%",
        sizeRange: [13, 60],
        rotationRange: [0, 0],
        gridSize: 6,
        drawOutOfBound: false,
        shrinkToFit: true,
        layoutAnimation: false,
        textStyle: { fontFamily: getComputedStyle(document.body).fontFamily.replaceAll('"', "'"), fontWeight: 600 },
        emphasis: { textStyle: { textShadowBlur: 0 } },
        data: words.slice(0, 80).map((w, i) => ({ name: w.name, value: Math.sqrt(w.posts), posts: w.posts, textStyle: { color: seriesColor(i, c.dark) } })),
      },
    ],
  };
}
