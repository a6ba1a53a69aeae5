import { categoryColor } from "../../lib/color";
import { dateTime, number, plural } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { Category, Model, Monitor } from "../../lib/types";
import { Card, ProgressBar } from "../../components/basics";
import { fairTraining, goodTraining } from "./data";

// TrainingStatus says how many training posts each category has, and how far the model is.
export function TrainingStatus({ m, model, minTraining }: { m: Monitor; model: Model | undefined; minTraining: number }) {
  const dark = useDark();
  return (
    <Card title="Training posts" note={`${minTraining} in each category are the least, ${fairTraining} are a fair start, ${goodTraining} are good.`}>
      <ul class="stack tight" aria-label="Training posts by category">
        {m.categories.map((c, i) => (
          <li key={c.id} class="stack" style={{ gap: "0.2rem" }}>
            <div class="spread">
              <span class="row">
                <span class="dot" style={{ background: categoryColor(c.name, i, dark) }} />
                <span class="break">{c.name}</span>
                {c.hidden && <span class="badge">Hidden</span>}
              </span>
              <span class="num">
                {number(c.trainingDocs ?? 0)} <TrainingBadge category={c} minTraining={minTraining} />
              </span>
            </div>
            <ProgressBar share={(c.trainingDocs ?? 0) / goal(c, minTraining)} label={`${c.name}: ${plural(c.trainingDocs ?? 0, "training post")} of ${goal(c, minTraining)}`} />
          </li>
        ))}
      </ul>
      {model && <ModelState model={model} />}
    </Card>
  );
}

// goal is the next number worth reaching.
const goal = (c: Category, minTraining: number) => [minTraining, fairTraining, goodTraining].find((n) => (c.trainingDocs ?? 0) < n) ?? goodTraining;

function TrainingBadge({ category, minTraining }: { category: Category; minTraining: number }) {
  const n = category.trainingDocs ?? 0;
  if (n < minTraining && category.hidden && n === 0) return <span class="small muted">optional</span>;
  if (n < minTraining) return <span class="badge warn">{minTraining - n} missing</span>;
  if (n < fairTraining) return <span class="badge">enough</span>;
  return <span class="badge good">{n < goodTraining ? "fair" : "good"}</span>;
}

// ModelState says what the model does and what happens by itself.
export function ModelState({ model }: { model: Model }) {
  const text = {
    untrained: "There is no model yet. It is learnt by itself as soon as no category misses training posts.",
    learning: "The model learns from the new training posts, and sorts all posts anew. Until it is done the old answers stand.",
    ready: `The model has learnt from all training posts${model.learntAt ? `, on ${dateTime(model.learntAt)} (your time)` : ""}. It learns anew by itself when you teach more.`,
  }[model.state];
  return (
    <p class="small muted" role="status" style={{ marginTop: "0.75rem" }}>
      {text}
    </p>
  );
}
