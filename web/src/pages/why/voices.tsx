import { useState } from "preact/hooks";
import { get, urlOf } from "../../lib/api";
import { authorPath, daysAround } from "../../lib/author";
import type { Period } from "../../lib/drill";
import { localDateTime, number } from "../../lib/format";
import { safeHref } from "../../lib/href";
import { useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Voice, Voices } from "../../lib/types";
import { ErrorNotice, SegmentedControl, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { Icon } from "../../components/icon";
import { Rows } from "../../components/table";
import { common } from "../../strings/common";
import { why } from "../../strings/why";

type Order = keyof typeof why.voices.orders;

const orders = Object.keys(why.voices.orders) as Order[];

interface Props {
  target: string; // id of the monitor or of its saved filter
  query: Record<string, string | undefined>;
  shown: Period;
  zone: string;
  file: string; // prefix of the names of CSV files
  href: (filter: string) => string; // of the posts that a filter selects
}

// WhoDroveIt lists the authors with the most engagement and followers, the first ones and the most
// copied ones.
export function WhoDroveIt({ target, query, shown, zone, file, href }: Props) {
  const [order, setOrder] = useState<Order>("engagement");
  const path = `/manage/v1/monitors/${target}/voices`;
  const { data, error, reload } = useLoad(urlOf(path, query), (signal) => get<Voices>(path, query, signal));
  if (error) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="20rem" label={why.voices.title} />;
  if (data.first.length === 0) return null;
  const text = why.voices;
  const list = data[order];
  const note = order === "first" && data.story ? text.firstAbout(data.story.name) : text.notes[order];
  const first = (v: Voice) => (v.first ? v.first.slice(0, 19) : "");
  return (
    <ChartCard
      title={text.title}
      note={data.estimated ? `${note} ${text.estimated}` : note}
      file={`${file}-authors-${order}`}
      table={{ head: [text.author, common.words.source, common.words.posts, common.words.engagement, text.followers, text.copies, text.first], rows: list.map((v) => [v.username || v.name, v.source, v.posts, v.engagement, v.followers, v.copies, first(v)]) }}
      tools={<SegmentedControl small label={text.orderBy} value={order} options={orders.map((value) => ({ value, name: text.orders[value] }))} onChange={setOrder} />}
    >
      {list.length === 0 ? (
        <p class="muted">{text.none[order]}</p>
      ) : (
        <Rows label={common.chart.tableCaption(text.title)} stacked head={[text.author, common.words.posts, common.words.engagement, text.followers, text.copies, text.first, text.top]}>
          {list.map((v) => (
            <tr key={`${v.source} ${v.username || v.name}`}>
              <td class="break">
                {v.username ? (
                  <Link href={authorPath(v.username, v.source, daysAround(shown.start!, shown.end!, zone))} title={common.postCard.openAuthor}>
                    {v.name}
                  </Link>
                ) : (
                  v.name
                )}{" "}
                {v.role && <span class="badge accent">{text.roles[v.role]}</span>}
                <div class="small muted">{[v.username && v.username !== v.name && `@${v.username}`, v.source].filter(Boolean).join(" · ")}</div>
              </td>
              <td class="num right">
                {v.filter ? (
                  <Link href={href(v.filter)} title={text.postsOf(v.name)}>
                    {number(v.posts)}
                  </Link>
                ) : (
                  number(v.posts)
                )}
              </td>
              <td class="num right">{number(v.engagement)}</td>
              <td class="num right">{v.followers === null ? <span class="muted">{text.unknown}</span> : number(v.followers)}</td>
              <td class="num right">{data.estimated ? why.about(v.copies) : number(v.copies)}</td>
              <td>{v.first ? localDateTime(first(v)) : "–"}</td>
              <td>
                {v.top && safeHref(v.top.url) && (
                  <a href={safeHref(v.top.url)} target="_blank" rel="noreferrer noopener" class="button quiet small" aria-label={text.openTop(v.name)} title={text.openTop(v.name)}>
                    <Icon name="link" />
                  </a>
                )}
              </td>
            </tr>
          ))}
        </Rows>
      )}
    </ChartCard>
  );
}
