import { useEffect, useRef, useState } from "preact/hooks";
import { isBefore, listen, type Connection, type Delivery } from "./listen";

export const maxShown = 200;
const drawInterval = 250; // milliseconds between renders, however many posts arrive

// A LivePost is a post of the live view. The stream delivers it once for each monitor that matches
// it.
export interface LivePost {
  key: string; // cursor of its first delivery
  post: Delivery;
  monitors: number[];
}

export interface LiveFeed {
  connection: Connection;
  posts: LivePost[]; // newest first
  backlog: number; // posts received that were already in the queue
  arrived: number; // posts that arrived since the page was opened
  perMinute: number; // posts that arrived in the last minute
  paused: boolean;
  missed: number; // received while paused
  setPaused: (paused: boolean) => void;
}

type Counts = Pick<LiveFeed, "backlog" | "arrived" | "perMinute" | "missed">;

// A Buffer holds what was received since the page connected, including what is not shown yet.
interface Buffer extends Counts {
  posts: LivePost[];
  times: number[]; // arrival times in the last minute, in milliseconds
  changed: boolean; // since the last render
}

const emptyBuffer = (): Buffer => ({ posts: [], times: [], backlog: 0, arrived: 0, perMinute: 0, missed: 0, changed: false });

// isSame reports whether two deliveries are of the same post.
const isSame = (a: Delivery, b: Delivery) => a.type === b.type && (a.guid || b.guid ? a.guid === b.guid : a.url === b.url);

// merge adds a delivery to the post that another monitor has already delivered. It reports whether
// there is one; a post that is uploaded again is delivered by the same monitor again.
function merge(b: Buffer, d: Delivery): boolean {
  const i = b.posts.findIndex((p) => isSame(p.post, d));
  if (i < 0 || b.posts[i].monitors.includes(d.monitorId)) return false;
  b.posts[i] = { ...b.posts[i], monitors: [...b.posts[i].monitors, d.monitorId] };
  return true;
}

// useLive listens to a stream from a cursor on. undefined starts with the backlog; null waits. end is
// the end of the queue when the page was opened: what comes before it is the backlog.
export function useLive(id: string, cursor: string | undefined | null, end: string): LiveFeed {
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  const [posts, setPosts] = useState<LivePost[]>([]);
  const [counts, setCounts] = useState<Counts>({ backlog: 0, arrived: 0, perMinute: 0, missed: 0 });
  const [paused, setPaused] = useState(false);
  const buffer = useRef(emptyBuffer());
  const pausedNow = useRef(false);
  pausedNow.current = paused;

  const draw = () => {
    const b = buffer.current;
    const since = Date.now() - 60_000;
    b.times = b.times.filter((t) => t > since);
    const now: Counts = { backlog: b.backlog, arrived: b.arrived, perMinute: b.times.length, missed: b.missed };
    setCounts((c) => (JSON.stringify(c) === JSON.stringify(now) ? c : now));
    if (pausedNow.current || !b.changed) return;
    b.changed = false;
    setPosts([...b.posts]);
  };

  useEffect(() => {
    if (cursor === null) return;
    buffer.current = emptyBuffer();
    setPosts([]);
    const receive = (d: Delivery) => {
      const b = buffer.current;
      b.changed = true;
      if (merge(b, d)) return;
      b.posts.unshift({ key: d.cursor, post: d, monitors: [d.monitorId] });
      if (b.posts.length > maxShown) b.posts.pop();
      if (pausedNow.current) b.missed++;
      if (!isBefore(end, d.cursor)) {
        b.backlog++;
        return;
      }
      b.arrived++;
      b.times.push(Date.now());
    };
    const stop = listen(id, cursor, receive, setConnection);
    const timer = setInterval(draw, drawInterval);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [id, cursor]);

  const pause = (on: boolean) => {
    buffer.current.missed = 0;
    pausedNow.current = on;
    setPaused(on);
    draw();
  };
  return { connection, posts, ...counts, paused, setPaused: pause };
}
