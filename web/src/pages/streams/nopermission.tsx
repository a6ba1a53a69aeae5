import { Notice, PageHeader } from "../../components/basics";
import { common } from "../../strings/common";
import { streams } from "../../strings/streams";

// NoPermission names the permission that the pages of streams require.
export function NoPermission() {
  return (
    <>
      <PageHeader title={common.pages.streams} lead={streams.lead} />
      <Notice kind="warn">{streams.noPermission}</Notice>
    </>
  );
}
