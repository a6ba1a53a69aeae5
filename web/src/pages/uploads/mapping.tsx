import { SelectField } from "../../components/basics";
import { Rows } from "../../components/table";
import { toTimestamp, dateFormats, type DateFormat } from "./dates";
import { columnOf, customName, documentFields, withField, type Plan } from "./fields";
import type { Sample } from "./read";

interface Props {
  sample: Sample;
  plan: Plan;
  onChange: (plan: Plan) => void;
}

// MappingTable says what each column of a file is.
export function MappingTable({ sample, plan, onChange }: Props) {
  return (
    <div class="stack tight">
      <h3>What the columns are</h3>
      <Rows label="Columns of the file" head={["Column", "Becomes"]}>
        {sample.columns.map((column) => (
          <tr key={column}>
            <td class="break">
              {column}
              <span class="value-clip muted small">{sample.rows.find((row) => row.values[column])?.values[column]}</span>
            </td>
            <td>
              <select aria-label={`${column} becomes`} value={plan.mapping[column]} onChange={(e) => onChange({ ...plan, mapping: withField(plan.mapping, column, e.currentTarget.value) })}>
                <option value="">Left out</option>
                {documentFields.map((f) => (
                  <option key={f.id} value={f.id}>
                    {f.name}
                  </option>
                ))}
                <option value="custom">Custom field “{customName(column)}”</option>
              </select>
            </td>
          </tr>
        ))}
      </Rows>
      {!columnOf(plan.mapping, "guid") && !columnOf(plan.mapping, "url") && (
        <p class="small muted">No column is an id or an address. Each row gets an id made of its values, so that the same row becomes the same document.</p>
      )}
      {columnOf(plan.mapping, "date") && <Dates sample={sample} plan={plan} onChange={onChange} />}
    </div>
  );
}

// Dates says how dates are written, and shows what they are read as.
function Dates({ sample, plan, onChange }: Props) {
  const column = columnOf(plan.mapping, "date")!;
  const given = [...new Set(sample.rows.map((row) => row.values[column]).filter(Boolean))].slice(0, 3);
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set(["UTC", here])].map((zone) => ({ value: zone, name: zone }));
  const failing = sample.rows.filter((row) => row.values[column] && toTimestamp(row.values[column], plan.dates, plan.zone) === null).length;
  return (
    <div class="stack tight">
      <div class="upload-choices">
        <SelectField label="Dates are written" value={plan.dates} options={dateFormats} onChange={(f) => onChange({ ...plan, dates: f as DateFormat })} />
        {zones.length > 1 && <SelectField label="Clock of dates without a zone" value={plan.zone} options={zones} onChange={(zone) => onChange({ ...plan, zone })} />}
      </div>
      <ul class="small">
        {given.map((text) => {
          const read = toTimestamp(text, plan.dates, plan.zone);
          return (
            <li key={text} class="break">
              <code>{text}</code> is {read ? <strong>{spoken(read)}</strong> : <strong class="bad">not a date of this kind</strong>}
            </li>
          );
        })}
      </ul>
      {failing > 0 && (
        <p class="small bad">
          Rows without a date of this kind: {failing} of the first {sample.rows.length}.
        </p>
      )}
    </div>
  );
}

// spoken writes a moment so that day and month cannot be mixed up.
function spoken(moment: string): string {
  const date = new Date(moment);
  return `${new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", dateStyle: "long", timeStyle: "short" }).format(date)} UTC`;
}
