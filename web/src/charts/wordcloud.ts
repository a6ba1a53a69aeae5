import { seriesColor } from "../lib/color";
import type { NameCount } from "../lib/types";
import { tooltip, type Colors, type Option } from "./chart";
import { common } from "../strings/common";

const mostWords = 80;
const smallest = 13; // font size in pixels
const largest = 60;
const gap = 4; // between words, in pixels

// A Word is a rectangle with the word's text, by its center.
interface Word {
  x: number;
  y: number;
  width: number;
  height: number;
  size: number; // of the font
}

// wordCloudChart draws the most frequent words. Their sizes grow with the square root of their
// frequency, so that areas are proportional.
export function wordCloudChart(words: NameCount[], c: Colors): Option {
  const shown = words.slice(0, mostWords);
  const family = getComputedStyle(document.body).fontFamily.replaceAll('"', "'"); // in an attribute of SVG
  let placed: (Word | null)[] = [];
  let width = 0;
  let height = 0;
  return {
    tooltip: tooltip(c, { trigger: "item", formatter: (p: { name: string; data: { posts: number } }) => common.chart.word(p.name, p.data.posts) }),
    series: [
      {
        type: "custom",
        coordinateSystem: "none",
        data: shown.map((w) => ({ name: w.name, value: w.posts, posts: w.posts })),
        renderItem: (item: { dataIndex: number }, api: { getWidth(): number; getHeight(): number }) => {
          if (api.getWidth() !== width || api.getHeight() !== height) {
            width = api.getWidth();
            height = api.getHeight();
            placed = layOut(shown, family, width, height);
          }
          const word = placed[item.dataIndex];
          if (!word) return null;
          return {
            type: "text",
            x: word.x,
            y: word.y,
            style: { text: shown[item.dataIndex].name, font: font(word.size, family), fill: seriesColor(item.dataIndex, c.dark), align: "center", verticalAlign: "middle" },
            emphasis: { style: { opacity: 0.7 } },
          };
        },
      },
    ],
  };
}

const font = (size: number, family: string) => `600 ${size}px ${family}`;

// layOut places the words in an area, as large as possible so that all of them fit. If they do not
// fit in their smallest size either, the least frequent ones are null.
function layOut(words: NameCount[], family: string, width: number, height: number): (Word | null)[] {
  const canvas = document.createElement("canvas").getContext("2d")!;
  const [most, least] = [words[0]?.posts ?? 0, words.at(-1)?.posts ?? 0].map(Math.sqrt);
  let placed: (Word | null)[] = [];
  for (let top = largest; top >= smallest; top *= 0.85) {
    const rectangles = words.map((w) => {
      const size = Math.round(most > least ? smallest + ((top - smallest) * (Math.sqrt(w.posts) - least)) / (most - least) : smallest);
      canvas.font = font(size, family);
      return { x: 0, y: 0, width: canvas.measureText(w.name).width + gap, height: size + gap, size };
    });
    placed = place(rectangles, width, height);
    if (!placed.includes(null)) break;
  }
  return placed;
}

// place moves each rectangle to the first free place on a spiral around the center, which is as wide
// and high as the area. Those that find none are null.
function place(words: Word[], width: number, height: number): (Word | null)[] {
  const taken: Word[] = [];
  return words.map((w) => {
    for (let turn = 0; turn < 20; turn += 0.05 / (0.1 + turn)) {
      const angle = 2 * Math.PI * turn;
      const x = (width / 2) * (1 + (turn / 14) * Math.cos(angle));
      const y = (height / 2) * (1 + (turn / 14) * Math.sin(angle));
      if (x < w.width / 2 || x > width - w.width / 2 || y < w.height / 2 || y > height - w.height / 2) continue;
      if (taken.some((o) => Math.abs(o.x - x) < (o.width + w.width) / 2 && Math.abs(o.y - y) < (o.height + w.height) / 2)) continue;
      const at = { ...w, x, y };
      taken.push(at);
      return at;
    }
    return null;
  });
}
