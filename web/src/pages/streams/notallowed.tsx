import { Notice, PageHead } from "../../parts/basics";

export const lead = "A stream hands out the new posts of some monitors within seconds: to programs, and to you on a live page.";

// NotAllowed says what it takes to see streams.
export function NotAllowed() {
  return (
    <>
      <PageHead title="Streams" lead={lead} />
      <Notice kind="warn">Reading streams needs the permission “streams”. An administrator can give it to you.</Notice>
    </>
  );
}
