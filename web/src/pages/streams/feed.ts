import { useEffect, useRef, useState } from "preact/hooks";
import { listen, type Connection, type ReceivedPost } from "./listen";

export const maxShown = 200;
const drawInterval = 250; // milliseconds between renders, however many posts arrive

export interface LiveFeed {
  connection: Connection;
  posts: ReceivedPost[]; // newest first
  received: number; // since the page connected
  perMinute: number; // received in the last minute
  paused: boolean;
  missed: number; // received while paused
  setPaused: (paused: boolean) => void;
}

// A Buffer holds the posts that arrived since the last render.
interface Buffer {
  fresh: ReceivedPost[];
  times: number[]; // arrival times in the last minute, in milliseconds
  received: number;
  missed: number;
}

const emptyBuffer = (): Buffer => ({ fresh: [], times: [], received: 0, missed: 0 });

// useLive listens to a stream from a cursor on. undefined starts with the backlog; null waits.
export function useLive(id: string, cursor: string | undefined | null): LiveFeed {
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  const [posts, setPosts] = useState<ReceivedPost[]>([]);
  const [counts, setCounts] = useState({ received: 0, perMinute: 0, missed: 0 });
  const [paused, setPaused] = useState(false);
  const buffer = useRef(emptyBuffer());
  const pausedNow = useRef(false);
  pausedNow.current = paused;

  const draw = () => {
    const b = buffer.current;
    const since = Date.now() - 60_000;
    b.times = b.times.filter((t) => t > since);
    setCounts((c) => (c.received === b.received && c.perMinute === b.times.length && c.missed === b.missed ? c : { received: b.received, perMinute: b.times.length, missed: b.missed }));
    if (pausedNow.current || !b.fresh.length) return;
    const fresh = b.fresh.reverse();
    b.fresh = [];
    setPosts((before) => [...fresh, ...before].slice(0, maxShown));
  };

  useEffect(() => {
    if (cursor === null) return;
    buffer.current = emptyBuffer();
    setPosts([]);
    const take = (p: ReceivedPost) => {
      const b = buffer.current;
      b.fresh.push(p);
      if (b.fresh.length > maxShown) b.fresh.shift();
      b.times.push(Date.now());
      b.received++;
      if (pausedNow.current) b.missed++;
    };
    const stop = listen(id, cursor, take, setConnection);
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
