import { urlOf } from "../lib/api";
import { Link } from "../lib/router";
import { Icon } from "./icon";
import { Popover } from "./popover";
import { common } from "../strings/common";

const text = common.exportMenu;

type Params = Record<string, string>;

// letterRegions are the countries that print on Letter paper instead of A4.
const letterRegions = ["US", "CA", "MX", "CL", "CO", "CR", "GT", "PA", "PH", "PR", "VE"];

// paper returns the size of paper of the browser's country.
function paper(): string {
  const region = new Intl.Locale(navigator.language).maximize().region ?? "";
  return letterRegions.includes(region) ? "letter" : "a4";
}

// ExportMenu downloads what a page shows as PDF or Excel, and prints it. report is the path of the
// report, posts that of the export of all posts. scheduled is what a scheduled report with the same
// contents is about.
export function ExportMenu({ report, posts, params, scheduled }: { report: string; posts?: string; params: Params; scheduled: { team: number; monitor?: number; dashboard?: number } }) {
  const href = (format: string) => urlOf(report, { ...params, format, ...(format === "pdf" ? { paper: paper() } : {}) });
  return (
    <Popover
      label={text.title}
      right
      button={
        <>
          <Icon name="download" />
          {text.title}
        </>
      }
    >
      {(close) => {
        const later = () => setTimeout(close, 0); // after the link has been followed
        return (
          <div class="options nowrap">
            <a href={href("pdf")} download onClick={later}>
              {text.pdf}
            </a>
            <a href={href("xlsx")} download onClick={later}>
              {text.xlsx}
            </a>
            {posts && (
              <a href={urlOf(posts, { ...params, format: "csv" })} download onClick={later}>
                {text.posts}
              </a>
            )}
            <Link href={urlOf("/signals/reports", { new: 1, ...scheduled, range: params.range, filter: params.filter })} onClick={close}>
              {text.schedule}
            </Link>
            <button
              type="button"
              onClick={() => {
                close();
                setTimeout(() => window.print(), 0); // without the menu
              }}
            >
              {text.print}
            </button>
          </div>
        );
      }}
    </Popover>
  );
}
