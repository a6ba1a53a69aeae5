import { Link, useLocation } from "../lib/router";
import { Icon } from "./icon";
import { common } from "../strings/common";

// useApiHref returns the URL of the page that lists the API calls behind the current page.
export function useApiHref(): string {
  const { path, query } = useLocation();
  const text = query.toString();
  return `/connect?for=${encodeURIComponent(text ? `${path}?${text}` : path)}`;
}

// ApiLink links to the API calls behind the current page.
export function ApiLink({ class: more = "button" }: { class?: string }) {
  return (
    <Link href={useApiHref()} class={more} title={common.monitorLayout.apiCalls}>
      <Icon name="api" />
      {common.pages.api}
    </Link>
  );
}
