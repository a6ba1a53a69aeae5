import { EmptyState, PageHeader } from "../components/basics";
import { ShareLinks } from "../components/sharelinks";
import { share } from "../strings/share";

// SharesPage lists the share links of the user's teams.
export function SharesPage() {
  return (
    <>
      <PageHeader title={share.page} lead={share.lead} />
      <ShareLinks query={{}} empty={<EmptyState title={share.emptyTitle}>{share.emptyText}</EmptyState>} />
    </>
  );
}
