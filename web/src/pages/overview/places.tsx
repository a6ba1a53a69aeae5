import { useCallback, useState } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { loadWorld, mapChart } from "../../charts/map";
import type { IdCount } from "../../lib/types";
import { SegmentedControl } from "../../components/basics";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

const levels = ["countries", "states", "cities"] as const;
type Level = (typeof levels)[number];

// Places shows the locations of posts as a map and as a list of countries, states or cities.
export function Places({ o, file, onRefine, posts }: ChartProps) {
  const [level, setLevel] = useState<Level>("countries");
  const option = useCallback((c: Colors) => mapChart(o.places.countries, c), [o.places.countries]);
  const list: IdCount[] = o.places[level];
  return (
    <ChartCard
      class="c6"
      pin="places"
      title={common.words.locations}
      note={overview.knownPosts(o.places.located, o.places.located / o.posts)}
      file={`${file}-${level}`}
      table={{ head: [common.words.id, common.words.name, common.words.posts], rows: list.map((p) => [String(p.id), p.name, p.posts]), links: posts && list.map((p) => posts(["geolocation", String(p.id)])) }}
      tools={<SegmentedControl small label={overview.locations.groupBy} value={level} onChange={setLevel} options={levels.map((value) => ({ value, name: overview.locations.levels[value] }))} />}
    >
      <div class="stack tight">
        <Chart height="15rem" label={overview.locations.label(o.places.countries.slice(0, 5))} option={option} prepare={loadWorld} onPick={(p) => o.places.countries.some((x) => x.id === p.name) && onRefine?.(["geolocation", p.name])} />
        <Bars total={o.places.located} bars={list.slice(0, 6).map((p) => ({ id: String(p.id), name: p.name, value: p.posts, posts: posts?.(["geolocation", String(p.id)]) }))} onPick={onRefine && ((b) => onRefine(["geolocation", b.id]))} empty={overview.locations.none} />
      </div>
    </ChartCard>
  );
}
