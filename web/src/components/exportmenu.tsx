import { useState } from "preact/hooks";
import { listAll, urlOf } from "../lib/api";
import { useLoad } from "../lib/load";
import { Link } from "../lib/router";
import type { Client } from "../lib/types";
import { SelectField } from "./basics";
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
  const [client, setClient] = useState<string>(); // none: the default of the team
  const href = (format: string) => urlOf(report, { ...params, client, format, ...(format === "pdf" ? { paper: paper() } : {}) });
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
            <ClientField team={scheduled.team} value={client} onChange={setClient} />
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

// ClientField chooses whom a report is for. It is hidden for teams without clients.
function ClientField({ team, value, onChange }: { team: number; value?: string; onChange: (id: string) => void }) {
  const { data } = useLoad(`clients of ${team}`, () => listAll<Client>("/manage/v1/clients", { team }));
  if (!data?.length) return null;
  const options = [{ value: "0", name: text.noClient }, ...data.map((c) => ({ value: String(c.id), name: c.name }))];
  return <SelectField label={text.client} value={value ?? String(data.find((c) => c.default)?.id ?? 0)} onChange={onChange} options={options} />;
}
