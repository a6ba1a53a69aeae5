import { Rows } from "../../components/table";
import { uploads } from "../../strings/uploads";
import { columnOf, itemOf, type Item, type Plan } from "./fields";
import type { Row, Sample } from "./read";

const shown = 5;

// Preview shows the first documents as they will be uploaded.
export function Preview({ sample, plan }: { sample: Sample; plan: Plan }) {
  const rows = sample.rows.filter((row) => !row.problem).slice(0, shown);
  const items = rows.map((row) => shownValues(row, plan));
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (names.length === 0) return null;
  return (
    <div class="stack tight">
      <h3>{uploads.previewTitle}</h3>
      <Rows label={uploads.previewLabel} head={[uploads.previewLine, ...names.map(columnTitle)]}>
        {items.map((item, i) => (
          <tr key={i}>
            <td>{rows[i].line}</td>
            {names.map((name) => (
              <td key={name}>
                <span class="value-clip" title={item[name]}>
                  {item[name]}
                </span>
              </td>
            ))}
          </tr>
        ))}
      </Rows>
    </div>
  );
}

// shownValues returns the mapped values of a row without a generated ID, or all of its values if no
// column is mapped.
function shownValues(row: Row, plan: Plan): Record<string, string> {
  if (!Object.values(plan.mapping).some(Boolean)) return row.values;
  const values = flat(itemOf(row, plan));
  if (!columnOf(plan.mapping, "guid")) delete values.guid;
  return values;
}

// columnTitle returns the title of a field, or the name of a custom field.
const columnTitle = (name: string) => uploads.fields[name] ?? name.replace(/^custom\./, "");

// flat returns the values of a document by field; nested names are joined with a dot.
function flat(item: Item, prefix = ""): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(item)) {
    if (typeof value === "object") Object.assign(out, flat(value, `${prefix}${name}.`));
    else out[prefix + name] = String(value);
  }
  return out;
}
