import { urlOf } from "../lib/api";
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
// report, posts that of the export of all posts.
export function ExportMenu({ report, posts, params }: { report: string; posts?: string; params: Params }) {
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
