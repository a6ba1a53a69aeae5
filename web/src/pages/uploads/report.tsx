import { download, toCSV } from "../../lib/csv";
import { number } from "../../lib/format";
import { Rows } from "../../components/table";
import { Icon } from "../../components/icon";
import { maxProblems, type Report } from "./send";

const shown = 50;

// ReportTable lists the rows that cannot be uploaded, and why.
export function ReportTable({ report, file }: { report: Report; file: string }) {
  const exportProblems = () =>
    download(
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
        <button type="button" class="button small" onClick={exportProblems}>
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
          The first {shown} of {number(report.problemCount)}. The file has {report.problemCount > maxProblems ? `the first ${number(maxProblems)}` : "all of them"}.
        </p>
      )}
    </div>
  );
}
