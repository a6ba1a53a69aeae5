import { categoryColor } from "../../lib/color";
import { dateTime, number } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { Category, Model, Monitor } from "../../lib/types";
import { Card, ProgressBar } from "../../components/basics";
import { train } from "../../strings/train";
import { fairTraining, goodTraining } from "./data";

// TrainingStatus shows the number of training posts per category and the state of the model.
export function TrainingStatus({ m, model, minTraining }: { m: Monitor; model: Model | undefined; minTraining: number }) {
  const dark = useDark();
  return (
    <Card title={train.trainingPosts} note={train.amounts(minTraining, fairTraining, goodTraining)}>
      <ul class="stack tight" aria-label={train.byCategory}>
        {m.categories.map((c, i) => (
          <li key={c.id} class="stack" style={{ gap: "0.2rem" }}>
            <div class="spread">
              <span class="row">
                <span class="dot" style={{ background: categoryColor(c.name, i, dark) }} />
                <span class="break">{c.name}</span>
                {c.hidden && <span class="badge">{train.hidden}</span>}
              </span>
              <span class="num">
                {number(c.trainingDocs ?? 0)} <TrainingBadge category={c} minTraining={minTraining} />
              </span>
            </div>
            <ProgressBar share={(c.trainingDocs ?? 0) / goal(c, minTraining)} label={train.progress(c.name, c.trainingDocs ?? 0, goal(c, minTraining))} />
          </li>
        ))}
      </ul>
      {model && <ModelState model={model} />}
    </Card>
  );
}

// goal returns the next level that a category has not reached yet.
const goal = (c: Category, minTraining: number) => [minTraining, fairTraining, goodTraining].find((n) => (c.trainingDocs ?? 0) < n) ?? goodTraining;

function TrainingBadge({ category, minTraining }: { category: Category; minTraining: number }) {
  const n = category.trainingDocs ?? 0;
  if (n < minTraining && category.hidden && n === 0) return <span class="small muted">{train.optional}</span>;
  if (n < minTraining) return <span class="badge warn">{train.needed(minTraining - n)}</span>;
  if (n < fairTraining) return <span class="badge">{train.levels.enough}</span>;
  return <span class="badge good">{n < goodTraining ? train.levels.fair : train.levels.good}</span>;
}

// ModelState shows the state of the model. Training needs no action: it starts automatically.
export function ModelState({ model }: { model: Model }) {
  const text = {
    untrained: train.states.untrained,
    learning: train.states.learning,
    ready: train.states.ready(model.trainedAt ? dateTime(model.trainedAt) : ""),
  }[model.state];
  return (
    <p class="small muted" role="status" style={{ marginTop: "0.75rem" }}>
      {text}
    </p>
  );
}
