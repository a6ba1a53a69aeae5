import { Notice, PageHeader } from "../../components/basics";

export const lead = "A stream hands out the new posts of some monitors within seconds: to programs, and to you on a live page.";

// NoPermission says what it takes to see streams.
export function NoPermission() {
  return (
    <>
      <PageHeader title="Streams" lead={lead} />
      <Notice kind="warn">Reading streams needs the permission “streams”. An administrator can give it to you.</Notice>
    </>
  );
}
