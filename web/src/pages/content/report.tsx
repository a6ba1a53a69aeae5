import { save, toCSV } from "../../lib/csv";
import { number } from "../../lib/format";
import { Rows } from "../../parts/table";
import { Icon } from "../../parts/icon";
import { mostProblems, type Report } from "./send";

const shown = 50;

// ReportTable lists the rows that cannot be uploaded, and why.
export function ReportTable({ report, file }: { report: Report; file: string }) {
  const download = () =>
    save(
      `${file}-problems.csv`,
      toCSV(
        ["line", "problem", "row"],
        report.problems.map((p) => [p.line, p.message, p.text]),
      ),
    );
  return (
    <div class="stack tight">
      <div class="spread">
        <h3>Rows that cannot be uploaded</h3>
        <button type="button" class="button small" onClick={download}>
          <Icon name="download" />
          Download as CSV
        </button>
      </div>
      <Rows label="Rows that cannot be uploaded" head={["Line", "Problem", "Row"]}>
        {report.problems.slice(0, shown).map((p, i) => (
          <tr key={i}>
            <td class="num">{number(p.line)}</td>
            <td class="break">{p.message}</td>
            <td class="muted">
              <span class="value-clip" title={p.text}>
                {p.text}
              </span>
            </td>
          </tr>
        ))}
      </Rows>
      {report.problemCount > shown && (
        <p class="small muted">
          The first {shown} of {number(report.problemCount)}. The file has {report.problemCount > mostProblems ? `the first ${number(mostProblems)}` : "all of them"}.
        </p>
      )}
    </div>
  );
}
