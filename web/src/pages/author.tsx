import { EmptyState } from "../components/basics";
import { common } from "../strings/common";

export function AuthorPage() {
  return <EmptyState title={common.pages.author} />;
}
