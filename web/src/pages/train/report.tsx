import { useMemo } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { seriesColor } from "../../lib/color";
import { number, percent } from "../../lib/format";
import type { CategoryReport, Model, ModelReport } from "../../lib/types";
import { Card, Notice } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { common } from "../../strings/common";
import { train } from "../../strings/train";

const maxTerms = 10;

// ModelReport shows how good the model is and how to improve it. All metrics come from
// cross-validation: each training post is predicted by a model that was not trained on it.
export function ModelReport({ model, file }: { model: Model; file: string }) {
  const { report } = model;
  return (
    <>
      {model.missing && <Notice kind="warn">{model.missing}.</Notice>}
      {model.advice.length > 0 && (
        <Card title={train.advice}>
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

// Metrics shows the most important numbers.
function Metrics({ report }: { report: ModelReport }) {
  const metrics = [
    { name: train.accuracy, value: percent(report.accuracy), note: train.accuracyNote },
    { name: train.macroF1, value: percent(report.macroF1), note: train.macroF1Note },
    { name: train.calibrationError, value: percent(report.calibrationError), note: train.calibrationErrorNote },
    { name: train.trainedOn, value: number(report.trainingPosts), note: train.trainedOnNote },
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

// Quality charts the precision and recall of each category.
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
            { name: train.precision, values: list.map((x) => x.precision), color: seriesColor(0, c.dark) },
            { name: train.recall, values: list.map((x) => x.recall), color: seriesColor(1, c.dark) },
          ],
        },
        c,
      ),
    [report],
  );
  return (
    <ChartCard
      class="c7"
      title={train.quality}
      note={train.qualityNote}
      file={`${file}-categories`}
      table={{ head: train.qualityHead, rows: rowsOf(list) }}
    >
      <Chart option={option} label={train.qualityChart(list)} />
    </ChartCard>
  );
}

// Curve charts the accuracy by number of training posts, with a forecast for twice as many.
function Curve({ report, file }: { report: ModelReport; file: string }) {
  const points = report.forecast ? [...report.curve, report.forecast] : report.curve;
  const last = report.curve.length - 1;
  const option = useMemo(
    () => (c: Colors) => {
      const color = seriesColor(0, c.dark);
      const series = [{ name: train.accuracy, color, values: points.map((p, i) => (i <= last ? p.accuracy : null)) }];
      const forecast = { name: train.forecast, color, dashed: true, values: points.map((p, i) => (i >= last ? p.accuracy : null)) };
      return timeChart({ kind: "lines", shares: true, labels: points.map((p) => number(p.trainingPosts)), titles: points.map((p) => train.curvePoint(p.trainingPosts)), series: report.forecast ? [...series, forecast] : series, legend: true }, c);
    },
    [report],
  );
  return (
    <ChartCard class="c5" title={train.curve} note={train.curveNote} file={`${file}-curve`} table={{ head: train.curveHead, rows: points.map((p, i) => [p.trainingPosts, p.accuracy, i > last ? train.forecast : ""]) }}>
      {points.length ? <Chart option={option} label={train.curveChart(points)} /> : <p class="muted">{train.curveEmpty}</p>}
    </ChartCard>
  );
}

// Words lists the terms with the largest weights for each category.
function Words({ categories }: { categories: CategoryReport[] }) {
  return (
    <Card title={train.words} note={train.wordsNote}>
      <div class="grid">
        {categories.map((c) => (
          <div key={c.categoryId} class="stack tight">
            <h3>{c.category}</h3>
            <ul class="row" aria-label={train.wordsFor(c.category)}>
              {c.terms.slice(0, maxTerms).map((t) => (
                <li key={t.text} class="badge" title={train.wordWeight(t.weight)}>
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

// Confusion is the confusion matrix: one row per label, one column per predicted category.
function Confusion({ report }: { report: ModelReport }) {
  const names = report.categories.map((c) => c.category);
  return (
    <Card title={train.confusion} note={train.confusionNote}>
      <div class="scroll" tabIndex={0} role="region" aria-label={common.chart.tableCaption(train.confusion)}>
        <table class="confusion">
          <thead>
            <tr>
              <th scope="col">{train.confusionCorner}</th>
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
                {row.predicted.map((n, i) => (
                  <td key={i} class="right" style={{ background: shade(n, row.predicted, i === r) }}>
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

// shade returns the background of a cell: the larger its share of the row, the stronger the color.
// Correct predictions and errors have different colors.
function shade(n: number, row: number[], right: boolean): string | undefined {
  const sum = row.reduce((a, b) => a + b, 0);
  if (!n || !sum) return undefined;
  const share = Math.round((right ? 0.15 + 0.85 * (n / sum) : 0.3 + 0.7 * (n / sum)) * 100);
  return `color-mix(in srgb, var(${right ? "--good-soft" : "--bad-soft"}) ${share}%, transparent)`;
}
