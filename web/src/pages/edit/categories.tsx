import { Checkbox, TextField } from "../../components/basics";
import { Icon } from "../../components/icon";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";
import { newCategory, type DraftCategory } from "./draft";

const maxCategories = 50; // the server's limit

interface Props {
  list: DraftCategory[];
  error?: string; // shown at the first category without a name
  onChange: (list: DraftCategory[]) => void;
}

// CategoryFields edits the categories of an opinion monitor, in display order.
export function CategoryFields({ list, error, onChange }: Props) {
  const unnamed = list.findIndex((c) => !c.name.trim());
  const change = (at: number, to: Partial<DraftCategory>) => onChange(list.map((c, i) => (i === at ? { ...c, ...to } : c)));
  const drop = (at: number) => {
    const c = list[at];
    if (c.trainingDocs === 0 || window.confirm(edit.confirmRemoveCategory(c.name, c.trainingDocs))) onChange(list.filter((_, i) => i !== at));
  };
  const raise = (at: number) => onChange(list.map((c, i) => (i === at - 1 ? list[at] : i === at ? list[at - 1] : c)));
  return (
    <div class="stack tight">
      <div class="stack tight">
        {list.map((c, i) => (
          <div key={c.id ?? `new ${i}`} class="category" role="group" aria-label={edit.categoryLabel(i + 1)}>
            <TextField label={edit.category(i + 1)} value={c.name} error={i === unnamed ? error : undefined} onInput={(name) => change(i, { name })} />
            <TextField label={edit.group} value={c.group} placeholder={common.none} onInput={(group) => change(i, { group })} />
            <Checkbox label={edit.hidden} checked={c.hidden} onChange={(hidden) => change(i, { hidden })} />
            <span class="row">
              <button type="button" class="button quiet small" aria-label={edit.moveUp(c.name || edit.unnamedCategory(i + 1))} disabled={i === 0} onClick={() => raise(i)}>
                ↑
              </button>
              <button type="button" class="button quiet small" aria-label={edit.removeCategory(c.name || edit.unnamedCategory(i + 1))} onClick={() => drop(i)}>
                <Icon name="trash" />
              </button>
            </span>
          </div>
        ))}
      </div>
      {error && unnamed < 0 && (
        <span class="bad small" role="alert">
          {error}
        </span>
      )}
      <div>
        <button type="button" class="button" disabled={list.length >= maxCategories} onClick={() => onChange([...list, newCategory()])}>
          <Icon name="plus" />
          {edit.addCategory}
        </button>
      </div>
      <p class="small muted">{edit.categoriesHelp}</p>
    </div>
  );
}
