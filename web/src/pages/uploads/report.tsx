import { download, toCSV } from "../../lib/csv";
import { number } from "../../lib/format";
import { Rows } from "../../components/table";
import { Icon } from "../../components/icon";
import { common } from "../../strings/common";
import { uploads } from "../../strings/uploads";
import { type Report } from "./send";

const shown = 50;

// ReportTable lists the rows that cannot be uploaded, with the reasons.
export function ReportTable({ report, file }: { report: Report; file: string }) {
  const exportProblems = () =>
    download(
      `${file}-problems.csv`,
      toCSV(
        uploads.invalidRowsFile,
        report.problems.map((p) => [p.line, p.message, p.text]),
      ),
    );
  return (
    <div class="stack tight">
      <div class="spread">
        <h3>{uploads.invalidRows}</h3>
        <button type="button" class="button small" onClick={exportProblems}>
          <Icon name="download" />
          {common.chart.downloadCSV}
        </button>
      </div>
      <Rows label={uploads.invalidRows} head={uploads.invalidRowsHead}>
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
        <p class="small muted">{uploads.firstProblems(shown, report.problemCount, report.problems.length)}</p>
      )}
    </div>
  );
}
