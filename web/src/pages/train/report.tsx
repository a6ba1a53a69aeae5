import { useMemo } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { seriesColor } from "../../lib/color";
import { number, percent } from "../../lib/format";
import type { CategoryReport, Model, ModelReport } from "../../lib/types";
import { Card, Notice } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";

const maxTerms = 10;

// ModelReport says how good the model is and what would make it better. All figures are of training posts that the model had
// not seen when it was asked about them.
export function ModelReport({ model, file }: { model: Model; file: string }) {
  const { report } = model;
  return (
    <>
      {model.missing && <Notice kind="warn">{model.missing}.</Notice>}
      {model.advice.length > 0 && (
        <Card title="What would help">
          <ul class="stack tight advice">
            {model.advice.map((a) => (
              <li key={a}>{a}</li>
            ))}
          </ul>
        </Card>
      )}
      {report && (
        <>
          <Metrics report={report} />
          <div class="columns">
            <Quality report={report} file={file} />
            <Curve report={report} file={file} />
          </div>
          <Words categories={report.categories} />
          <Confusion report={report} />
        </>
      )}
    </>
  );
}

// Metrics are the three numbers to look at first.
function Metrics({ report }: { report: ModelReport }) {
  const metrics = [
    { name: "Accuracy", value: percent(report.accuracy), note: "of training posts are told right by a model that has not seen them" },
    { name: "Balanced quality", value: percent(report.macroF1), note: "F1, each category counting the same" },
    { name: "Score error", value: percent(report.calibrationError), note: "how far the scores are from how often they are right" },
    { name: "Learnt from", value: number(report.trainingPosts), note: "training posts" },
  ];
  return (
    <div class="columns">
      {metrics.map((f) => (
        <Card key={f.name} class="c3 fill" title={f.name}>
          <div class="figure">{f.value}</div>
          <div class="small muted">{f.note}</div>
        </Card>
      ))}
    </div>
  );
}

const rowsOf = (list: CategoryReport[]) => list.map((c) => [c.category, c.trainingPosts, c.precision, c.recall, c.f1, c.forecast]);

// Quality is how well each category is told.
function Quality({ report, file }: { report: ModelReport; file: string }) {
  const list = report.categories;
  const option = useMemo(
    () => (c: Colors) =>
      timeChart(
        {
          kind: "bars",
          shares: true,
          legend: true,
          labels: list.map((x) => x.category),
          series: [
            { name: "Precision", values: list.map((x) => x.precision), color: seriesColor(0, c.dark) },
            { name: "Recall", values: list.map((x) => x.recall), color: seriesColor(1, c.dark) },
          ],
        },
        c,
      ),
    [report],
  );
  return (
    <ChartCard
      class="c7"
      title="How well each category is told"
      note="Precision: of the posts it puts there, how many belong there. Recall: of those that belong there, how many it finds."
      file={`${file}-categories`}
      table={{ head: ["Category", "Training posts", "Precision", "Recall", "F1", "F1 with twice as many"], rows: rowsOf(list) }}
    >
      <Chart option={option} label={`Precision and recall: ${list.map((x) => `${x.category} ${percent(x.precision)} and ${percent(x.recall)}`).join(", ")}`} />
    </ChartCard>
  );
}

// Curve is what more training posts brought, and would bring.
function Curve({ report, file }: { report: ModelReport; file: string }) {
  const points = report.forecast ? [...report.curve, report.forecast] : report.curve;
  const last = report.curve.length - 1;
  const option = useMemo(
    () => (c: Colors) => {
      const color = seriesColor(0, c.dark);
      const series = [{ name: "Accuracy", color, values: points.map((p, i) => (i <= last ? p.accuracy : null)) }];
      const expected = { name: "Expected", color, dashed: true, values: points.map((p, i) => (i >= last ? p.accuracy : null)) };
      return timeChart({ kind: "lines", shares: true, labels: points.map((p) => number(p.trainingPosts)), titles: points.map((p) => `${number(p.trainingPosts)} training posts`), series: report.forecast ? [...series, expected] : series, legend: true }, c);
    },
    [report],
  );
  return (
    <ChartCard class="c5" title="What more training posts bring" note="Accuracy by the number of training posts" file={`${file}-curve`} table={{ head: ["Training posts", "Accuracy", ""], rows: points.map((p, i) => [p.trainingPosts, p.accuracy, i > last ? "expected" : ""]) }}>
      {points.length ? <Chart option={option} label={`Learning curve: ${points.map((p) => `${p.trainingPosts} posts ${percent(p.accuracy)}`).join(", ")}`} /> : <p class="muted">There are too few training posts to tell.</p>}
    </ChartCard>
  );
}

// Words are what speaks for each category.
function Words({ categories }: { categories: CategoryReport[] }) {
  return (
    <Card title="Words that speak for each category" note="Do they make sense? Words that are there by chance go away with more, and more different, training posts.">
      <div class="grid">
        {categories.map((c) => (
          <div key={c.categoryId} class="stack tight">
            <h3>{c.category}</h3>
            <ul class="row" aria-label={`Words for ${c.category}`}>
              {c.terms.slice(0, maxTerms).map((t) => (
                <li key={t.text} class="badge" title={`Weight ${t.weight}`}>
                  {t.text}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Card>
  );
}

// Confusion is what training posts of each category are told to be.
function Confusion({ report }: { report: ModelReport }) {
  const names = report.categories.map((c) => c.category);
  return (
    <Card title="What is taken for what" note="Rows: the category you chose. Columns: the one that a model says which has not seen the post.">
      <div class="scroll" tabIndex={0} role="region" aria-label="Table: chosen and told categories">
        <table class="confusion">
          <thead>
            <tr>
              <th scope="col">You chose</th>
              {names.map((n) => (
                <th key={n} scope="col" class="right">
                  {n}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.confusion.map((row, r) => (
              <tr key={row.categoryId}>
                <th scope="row">{row.category}</th>
                {row.told.map((n, i) => (
                  <td key={i} class="right" style={{ background: shade(n, row.told, i === r) }}>
                    {number(n)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

// shade is the darker the more of a row a cell has: what is right in one colour, what is wrong in another.
function shade(n: number, row: number[], right: boolean): string | undefined {
  const sum = row.reduce((a, b) => a + b, 0);
  if (!n || !sum) return undefined;
  const share = Math.round((right ? 0.15 + 0.85 * (n / sum) : 0.3 + 0.7 * (n / sum)) * 100);
  return `color-mix(in srgb, var(${right ? "--good-soft" : "--bad-soft"}) ${share}%, transparent)`;
}
