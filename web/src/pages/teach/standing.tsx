import { categoryColor } from "../../lib/color";
import { moment, number, plural } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { Category, Model, Monitor } from "../../lib/types";
import { Card, Meter } from "../../parts/basics";
import { enough, many } from "./data";

// Standing says how many training posts each category has, and how far the model is.
export function Standing({ m, model, least }: { m: Monitor; model: Model | undefined; least: number }) {
  const dark = useDark();
  return (
    <Card title="Training posts" note={`${least} in each category are the least, ${enough} are a fair start, ${many} are good.`}>
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
                {number(c.trainingDocs ?? 0)} <Need category={c} least={least} />
              </span>
            </div>
            <Meter share={(c.trainingDocs ?? 0) / goal(c, least)} label={`${c.name}: ${plural(c.trainingDocs ?? 0, "training post")} of ${goal(c, least)}`} />
          </li>
        ))}
      </ul>
      {model && <State model={model} />}
    </Card>
  );
}

// goal is the next number worth reaching.
const goal = (c: Category, least: number) => [least, enough, many].find((n) => (c.trainingDocs ?? 0) < n) ?? many;

function Need({ category, least }: { category: Category; least: number }) {
  const n = category.trainingDocs ?? 0;
  if (n < least && category.hidden && n === 0) return <span class="small muted">optional</span>;
  if (n < least) return <span class="badge warn">{least - n} missing</span>;
  if (n < enough) return <span class="badge">enough</span>;
  return <span class="badge good">{n < many ? "fair" : "good"}</span>;
}

// State says what the model does and what happens by itself.
export function State({ model }: { model: Model }) {
  const text = {
    untrained: "There is no model yet. It is learnt by itself as soon as no category misses training posts.",
    learning: "The model learns from the new training posts, and sorts all posts anew. Until it is done the old answers stand.",
    ready: `The model has learnt from all training posts${model.learntAt ? `, on ${moment(model.learntAt)} (your time)` : ""}. It learns anew by itself when you teach more.`,
  }[model.state];
  return (
    <p class="small muted" role="status" style={{ marginTop: "0.75rem" }}>
      {text}
    </p>
  );
}
