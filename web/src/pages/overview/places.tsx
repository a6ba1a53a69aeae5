import { useCallback, useState } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { loadWorld, mapChart } from "../../charts/map";
import { number, percent } from "../../lib/format";
import type { IdCount } from "../../lib/types";
import { SegmentedControl } from "../../components/basics";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";

type Level = "countries" | "states" | "cities";

// Places shows where posts come from, as a map and as a list of countries, states or cities.
export function Places({ o, file, onRefine }: ChartProps) {
  const [level, setLevel] = useState<Level>("countries");
  const option = useCallback((c: Colors) => mapChart(o.places.countries, c), [o.places.countries]);
  const list: IdCount[] = o.places[level];
  return (
    <ChartCard
      class="c6"
      title="Places"
      note={`${number(o.places.located)} posts have one (${percent(o.places.located / o.posts)})`}
      file={`${file}-${level}`}
      table={{ head: ["Id", "Name", "Posts"], rows: list.map((p) => [String(p.id), p.name, p.posts]) }}
      tools={<SegmentedControl small label="Places by" value={level} onChange={setLevel} options={[{ value: "countries", name: "Country" }, { value: "states", name: "State" }, { value: "cities", name: "City" }]} />}
    >
      <div class="stack tight">
        <Chart height="15rem" label={`Map of posts: ${o.places.countries.slice(0, 5).map((p) => `${p.name} ${number(p.posts)}`).join(", ")}`} option={option} prepare={loadWorld} onPick={(p) => o.places.countries.some((x) => x.id === p.name) && onRefine(["geolocation", p.name])} />
        <Bars total={o.places.located} bars={list.slice(0, 6).map((p) => ({ id: String(p.id), name: p.name, value: p.posts }))} onPick={(b) => onRefine(["geolocation", b.id])} empty="No post of these days has a place." />
      </div>
    </ChartCard>
  );
}
