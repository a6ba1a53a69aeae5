import { Link, useLocation } from "../lib/router";
import { Icon } from "./icon";

// ApiLink leads to the calls behind the page that is shown.
export function ApiLink() {
  const { path, query } = useLocation();
  const text = query.toString();
  return (
    <Link href={`/connect?for=${encodeURIComponent(text ? `${path}?${text}` : path)}`} class="button" title="The calls behind this page">
      <Icon name="api" />
      API
    </Link>
  );
}
