import { Link } from "../lib/router";
import { common } from "../strings/common";

// MonitorLabels names the monitors that match a post, with links to their posts.
export function MonitorLabels({ monitors }: { monitors: { id: number; name: string }[] }) {
  return (
    <ul class="row" aria-label={common.postCard.matchedBy}>
      {monitors.map((m) => (
        <li key={m.id}>
          <Link class="badge" href={`/monitors/${m.id}/posts`}>
            {m.name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
