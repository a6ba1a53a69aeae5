import { plural } from "../../lib/format";
import { Checkbox, TextField } from "../../components/basics";
import { Icon } from "../../components/icon";
import { newCategory, type DraftCategory } from "./draft";

interface Props {
  list: DraftCategory[];
  onChange: (list: DraftCategory[]) => void;
}

// CategoryFields edit the categories of an opinion monitor, in the order in which they are shown.
export function CategoryFields({ list, onChange }: Props) {
  const change = (at: number, to: Partial<DraftCategory>) => onChange(list.map((c, i) => (i === at ? { ...c, ...to } : c)));
  const drop = (at: number) => {
    const c = list[at];
    const asks = `${c.name} has ${plural(c.trainingDocs, "training post")}, which go with it when you save. Remove the category?`;
    if (c.trainingDocs === 0 || window.confirm(asks)) onChange(list.filter((_, i) => i !== at));
  };
  const raise = (at: number) => onChange(list.map((c, i) => (i === at - 1 ? list[at] : i === at ? list[at - 1] : c)));
  return (
    <div class="stack tight">
      <div class="stack tight">
        {list.map((c, i) => (
          <div key={c.id ?? `new ${i}`} class="category" role="group" aria-label={`What category ${i + 1} is`}>
            <TextField label={`Category ${i + 1}`} value={c.name} onInput={(name) => change(i, { name })} />
            <TextField label="Group" value={c.group} placeholder="None" onInput={(group) => change(i, { group })} />
            <Checkbox label="Hidden" checked={c.hidden} onChange={(hidden) => change(i, { hidden })} />
            <span class="row">
              <button type="button" class="button quiet small" aria-label={`Move ${c.name || `category ${i + 1}`} up`} disabled={i === 0} onClick={() => raise(i)}>
                ↑
              </button>
              <button type="button" class="button quiet small" aria-label={`Remove ${c.name || `category ${i + 1}`}`} onClick={() => drop(i)}>
                <Icon name="trash" />
              </button>
            </span>
          </div>
        ))}
      </div>
      <div>
        <button type="button" class="button" disabled={list.length >= 50} onClick={() => onChange([...list, newCategory()])}>
          <Icon name="plus" />
          Add a category
        </button>
      </div>
      <p class="small muted">Posts of hidden categories do not count as relevant: use one for what is off-topic. You teach the categories afterwards, with at least 10 posts each.</p>
    </div>
  );
}
