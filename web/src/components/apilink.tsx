import { Link, useLocation } from "../lib/router";
import { Icon } from "./icon";
import { common } from "../strings/common";

// ApiLink links to the API calls behind the current page.
export function ApiLink() {
  const { path, query } = useLocation();
  const text = query.toString();
  return (
    <Link href={`/connect?for=${encodeURIComponent(text ? `${path}?${text}` : path)}`} class="button" title={common.monitorLayout.apiCalls}>
      <Icon name="api" />
      {common.pages.api}
    </Link>
  );
}
