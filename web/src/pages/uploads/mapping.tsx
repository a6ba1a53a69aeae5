import { dateTime } from "../../lib/format";
import { SelectField } from "../../components/basics";
import { Rows } from "../../components/table";
import { toTimestamp, dateFormats, type DateFormat } from "./dates";
import { uploads } from "../../strings/uploads";
import { columnOf, customName, fieldOptions, withField, type Plan } from "./fields";
import type { Sample } from "./read";

interface Props {
  sample: Sample;
  plan: Plan;
  onChange: (plan: Plan) => void;
}

// MappingTable maps the columns of a file to fields.
export function MappingTable({ sample, plan, onChange }: Props) {
  return (
    <div class="stack tight">
      <h3>{uploads.columnsTitle}</h3>
      <Rows label={uploads.columns} head={uploads.columnsHead}>
        {sample.columns.map((column) => (
          <tr key={column}>
            <td class="break">
              {column}
              <span class="value-clip muted small">{sample.rows.find((row) => row.values[column])?.values[column]}</span>
            </td>
            <td>
              <select aria-label={uploads.fieldOf(column)} value={plan.mapping[column]} onChange={(e) => onChange({ ...plan, mapping: withField(plan.mapping, column, e.currentTarget.value) })}>
                <option value="">{uploads.skipColumn}</option>
                {fieldOptions.map((f) => (
                  <option key={f.value} value={f.value}>
                    {f.name}
                  </option>
                ))}
                <option value="custom">{uploads.customField(customName(column))}</option>
              </select>
            </td>
          </tr>
        ))}
      </Rows>
      {!columnOf(plan.mapping, "guid") && !columnOf(plan.mapping, "url") && (
        <p class="small muted">{uploads.generatedIds}</p>
      )}
      {columnOf(plan.mapping, "date") && <Dates sample={sample} plan={plan} onChange={onChange} />}
    </div>
  );
}

// Dates chooses the format and time zone of dates, and shows how some dates of the file are read.
function Dates({ sample, plan, onChange }: Props) {
  const column = columnOf(plan.mapping, "date")!;
  const given = [...new Set(sample.rows.map((row) => row.values[column]).filter(Boolean))].slice(0, 3);
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set(["UTC", here])].map((zone) => ({ value: zone, name: zone }));
  const failing = sample.rows.filter((row) => row.values[column] && toTimestamp(row.values[column], plan.dates, plan.zone) === null).length;
  return (
    <div class="stack tight">
      <div class="upload-choices">
        <SelectField label={uploads.dateFormat} value={plan.dates} options={dateFormats} onChange={(f) => onChange({ ...plan, dates: f as DateFormat })} />
        {zones.length > 1 && <SelectField label={uploads.dateTimezone} value={plan.zone} options={zones} onChange={(zone) => onChange({ ...plan, zone })} />}
      </div>
      <ul class="small">
        {given.map((text) => {
          const read = toTimestamp(text, plan.dates, plan.zone);
          return (
            <li key={text} class="break">
              {uploads.readAs(text, read && dateTime(read, "UTC"))}
            </li>
          );
        })}
      </ul>
      {failing > 0 && (
        <p class="small bad">{uploads.unreadableDates(failing, sample.rows.length)}</p>
      )}
    </div>
  );
}

