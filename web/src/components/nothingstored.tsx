import { get } from "../lib/api";
import { mayManage } from "../lib/livesource";
import { useLoad } from "../lib/load";
import { Link } from "../lib/router";
import { useUser } from "../lib/session";
import type { Page } from "../lib/types";
import { EmptyState } from "./basics";
import { common } from "../strings/common";

// NothingStored says why no monitor can have posts yet, and what to do about it.
export function NothingStored() {
  const user = useUser();
  const { data } = useLoad("any source", () => get<Page<unknown>>("/manage/v1/sources", { limit: 1 }));
  const text = common.nothingStored;
  if (!data) return null;
  if (data.items.length > 0) return <EmptyState title={text.title}>{text.waiting}</EmptyState>;
  return (
    <EmptyState
      title={text.title}
      actions={
        mayManage(user) && (
          <Link href="/sources/new" class="button primary">
            {common.pages.newSource}
          </Link>
        )
      }
    >
      {mayManage(user) ? text.addSource : text.askForSource}
    </EmptyState>
  );
}
