// SVG paths of the icons, drawn as lines in the color of the text on a 24 by 24 grid.
const paths = {
  home: "M4 11.5 12 5l8 6.5M6 10v9h12v-9",
  monitor: "M4 17l5-6 4 3 7-9",
  compare: "M5 19V9m5 10V5m5 14v-7m5 7V8",
  stream: "M4 12h3l2-6 4 12 2-6h5",
  analysis: "M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14zm5-2 4 4",
  content: "M12 16V5m0 0L8 9m4-4 4 4M5 16v3h14v-3",
  admin: "M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM12 3v3m0 12v3M3 12h3m12 0h3M5.6 5.6l2.2 2.2m8.4 8.4 2.2 2.2m0-12.8-2.2 2.2m-8.4 8.4-2.2 2.2",
  api: "M8 7l-5 5 5 5m8-10 5 5-5 5m-3-13-2 16",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-7 8c.6-3.6 3.4-5 7-5s6.4 1.4 7 5",
  out: "M14 4H6v16h8m-4-8h10m0 0-3.5-3.5M20 12l-3.5 3.5",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M4.6 12h.8M11.6 12h.8M18.6 12h.8",
  close: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  down: "M6 9.5l6 6 6-6",
  download: "M12 4v11m0 0-4-4m4 4 4-4M5 19h14",
  table: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9",
  chart: "M4 19h16M6 16V9m4.5 7V5m4.5 11v-5M19 16V7",
  edit: "M5 19l1-4L16.5 4.5l3 3L9 18z",
  trash: "M5 7h14M10 7V4h4v3m-7 0 1 13h8l1-13",
  filter: "M4 6h16l-6 7v6l-4-2v-4z",
  calendar: "M5 6h14v14H5zM5 10h14M9 3v4m6-4v4",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm0-13v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4m0-12.8L17 7M7 17l-1.4 1.4",
  moon: "M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5z",
  pause: "M8 5v14m8-14v14",
  play: "M7 4.5l12 7.5-12 7.5z",
  undo: "M9 7 4 12l5 5m-5-5h10a5 5 0 0 1 5 5v1",
  check: "M5 12.5l4.5 4.5L19 7",
  warn: "M12 4 2.5 20h19zM12 10v4m0 3v.01",
  link: "M10 14l4-4m-6 1-2 2a3.5 3.5 0 0 0 5 5l2-2m-1-8 2-2a3.5 3.5 0 0 1 5 5l-2 2",
  teach: "M3 9l9-4 9 4-9 4zm4 2v5c2.5 2 7.5 2 10 0v-5",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5v.01",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  sources: "M12 21v-8m0-1.5v.01M8.5 15a5 5 0 0 1 0-7m7 0a5 5 0 0 1 0 7M5.5 18a9 9 0 0 1 0-13m13 0a9 9 0 0 1 0 13",
  sky: "M7 18a4 4 0 0 1-.4-8A5.5 5.5 0 0 1 17 9.2 4.4 4.4 0 0 1 17 18z",
  news: "M4 5h13v14H5.5A1.5 1.5 0 0 1 4 17.5zM17 9h3v8.5a1.5 1.5 0 0 1-3 0M7 9h7M7 12.5h7M7 16h4",
  federation: "M12 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM5.5 20a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm13 0a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM10.7 7.7 6.8 15.3m6.5-7.6 3.9 7.6M8 17.5h8",
  upvote: "M12 5 6 12h3.5v3.5h5V12H18zM6 19.5h12",
  webhook: "M4 12h10m0 0-4-4m4 4-4 4M13 5h6v14h-6",
  flag: "M6 21V4m0 1h11l-2.5 4L17 13H6",
  star: "M12 4l2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z",
  tag: "M4 4h8l8 8-8 8-8-8zm4.5 4.5v.01",
  memo: "M5 4h14v11l-5 5H5zm9 16v-5h5M8.5 8.5h7m-7 4h4",
  bookmark: "M7 4h10v16l-5-4-5 4z",
  bell: "M6 16v-5a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5a2 2 0 0 0 4 0",
  dashboard: "M4 4h7v9H4zm9 0h7v5h-7zm0 7h7v9h-7zM4 15h7v5H4z",
  report: "M6 3h8l4 4v14H6zM14 3v4h4M9 17v-3m3 3v-6m3 6v-4",
  expand: "M9 4H4v5m11-5h5v5M9 20H4v-5m11 5h5v-5",
  grip: "M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01",
  minus: "M5 12h14",
  mail: "M4 6h16v12H4zm0 .5 8 6.5 8-6.5",
  hash: "M9.5 4 7.5 20m9-16-2 16M4.5 9h16m-17 6h16",
  people: "M9 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 9 11zm-6 8c.4-3.2 2.8-4.6 6-4.6s5.6 1.4 6 4.6m0-14.3a3 3 0 0 1 0 5.9m2.6 4c2 .7 3.2 2.2 3.4 4.4",
  chat: "M4 5h16v11h-8l-4 4v-4H4zm4 4h8m-8 3h5",
  phone: "M8 3h8v18H8zm3 15h2",
  folder: "M3.5 18V6h6l2 2.5h9V18z",
};

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

// Logo is the Earshot logo.
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#2f5bd8" />
      <g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round">
        <path d="M11 22a7.5 7.5 0 0 1 0-12" />
        <path d="M21 10a7.5 7.5 0 0 1 0 12" />
      </g>
      <circle cx="16" cy="16" r="2.6" fill="#fff" />
    </svg>
  );
}
