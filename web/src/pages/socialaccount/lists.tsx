import { localDateTime, number } from "../../lib/format";
import { safeHref } from "../../lib/href";
import type { AccountPost, AccountResponse } from "../../lib/types";
import { Bars } from "../../components/bars";
import { Card } from "../../components/basics";
import { ChartCard, CSVButton } from "../../components/chartcard";
import { common } from "../../strings/common";
import { socialAccount } from "../../strings/socialaccount";

const text = socialAccount.posts;

// AccountHashtags lists the hashtags of the monitor's posts.
export function AccountHashtags({ a, file }: { a: AccountResponse; file: string }) {
  const { title, note, none } = socialAccount.hashtags;
  const bars = a.hashtags.map((h) => ({ id: h.name, name: `#${h.name}`, value: h.posts }));
  return (
    <ChartCard class="c4" title={title} note={note} file={`${file}-account-hashtags`} table={{ head: [common.words.name, common.words.posts], rows: bars.map((b) => [b.name, b.value]) }}>
      <div class="tablebox" tabIndex={0} role="region" aria-label={common.chart.tableCaption(title)}>
        <Bars bars={bars} empty={none} />
      </div>
    </ChartCard>
  );
}

type Counter = keyof typeof text.columns;

// counters returns the counters that at least one post has, so that networks without replies, for
// example, have no such column.
const counters = (posts: AccountPost[]) => (Object.keys(text.columns) as Counter[]).filter((name) => posts.some((p) => p[name] !== null));

// AccountPosts lists the latest posts by the account with their counters.
export function AccountPosts({ a, file }: { a: AccountResponse; file: string }) {
  const columns = counters(a.posts);
  const heads = columns.map((name) => text.columns[name]);
  const table = { head: [text.date, text.text, ...heads, text.url], rows: a.posts.map((p) => [p.date, p.contents, ...columns.map((name) => p[name]), p.url]) };
  return (
    <Card class="c8" title={text.title} note={a.posts.length > 0 && text.note(a.posts.length, a.total.posts)} tools={<CSVButton title={text.title} file={`${file}-account-posts`} table={table} />}>
      {a.posts.length === 0 ? (
        <p class="muted">{text.none}</p>
      ) : (
        <div class="tablebox" tabIndex={0} role="region" aria-label={common.chart.tableCaption(text.title)}>
          <table>
            <caption class="sr">{text.title}</caption>
            <thead>
              <tr>
                <th scope="col">{text.date}</th>
                <th scope="col">{text.text}</th>
                {heads.map((head) => (
                  <th key={head} scope="col" class="right">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {a.posts.map((p, i) => (
                <PostRow key={i} p={p} columns={columns} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function PostRow({ p, columns }: { p: AccountPost; columns: Counter[] }) {
  const href = safeHref(p.url);
  return (
    <tr>
      <td class="nowrap">
        {href ? (
          <a href={href} target="_blank" rel="noreferrer noopener" title={text.open}>
            {localDateTime(p.date)}
          </a>
        ) : (
          localDateTime(p.date)
        )}
      </td>
      <td class="break" style={{ minWidth: "14rem" }}>
        {p.contents}
      </td>
      {columns.map((name) => (
        <td key={name} class="right nowrap">
          {p[name] === null ? socialAccount.unknown : number(p[name])}
        </td>
      ))}
    </tr>
  );
}
