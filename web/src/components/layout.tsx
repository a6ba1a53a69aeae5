import { type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link, navigate, useLocation } from "../lib/router";
import { hasPermission, signOut, useUser } from "../lib/session";
import { isMac, useShortcuts, type Panel } from "../lib/shortcuts";
import { chooseTheme, useDark } from "../lib/theme";
import { Icon, Logo, type IconName } from "./icon";
import { showError } from "./toast";
import { common } from "../strings/common";

// needs is the permission without which the menu hides an item.
interface MenuItem {
  href: string;
  name: string;
  icon: IconName;
  key: string; // opens it after G; several are separated by spaces
  needs?: "content" | "streams" | "admin";
}

const menu: MenuItem[] = [
  { href: "/", name: common.pages.monitors, icon: "monitor", key: "m h" }, // also the home page
  { href: "/signals", name: common.pages.signals, icon: "bell", key: "g" },
  { href: "/dashboards", name: common.pages.dashboards, icon: "dashboard", key: "b" },
  { href: "/compare", name: common.pages.compare, icon: "compare", key: "c" },
  { href: "/streams", name: common.pages.streams, icon: "stream", key: "s", needs: "streams" },
  { href: "/analysis", name: common.pages.analysis, icon: "analysis", key: "a" },
  { href: "/sources", name: common.pages.sources, icon: "sources", key: "r" },
  { href: "/uploads", name: common.pages.uploads, icon: "content", key: "u", needs: "content" },
  { href: "/connect", name: common.pages.api, icon: "api", key: "i" },
  { href: "/admin", name: common.pages.admin, icon: "admin", key: "d", needs: "admin" },
];

function isCurrent(href: string, path: string): boolean {
  return href === "/" ? path === "/" || path.startsWith("/monitors") : path === href || path.startsWith(`${href}/`);
}

// Layout is the frame around every page: the menu, the theme switch, the signed-in user and the
// keyboard shortcuts.
export function Layout({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const user = useUser();
  const [panel, setPanel] = useState<Panel | null>(null);
  useShortcuts(setPanel);
  const dark = useDark();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (!open) return;
    const close = (e: KeyboardEvent) => e.key === "Escape" && setOpen(false);
    window.addEventListener("keydown", close);
    return () => window.removeEventListener("keydown", close);
  }, [open]);
  const leave = async () => {
    try {
      await signOut();
    } catch (err) {
      return showError(err);
    }
    window.location.replace("/signin");
  };
  return (
    <div class="frame">
      <a class="skip" href="#main">
        {common.layout.skipToMain}
      </a>
      <a class="skip to-filters" href="#filters">
        {common.layout.skipToFilters}
      </a>
      <header class="topbar">
        <button type="button" class="button quiet" aria-label={common.layout.menu} aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="menu" />
        </button>
        <Link href="/" class="brand">
          <Logo />
          {common.appName}
        </Link>
      </header>
      {open && <button type="button" class="veil" aria-label={common.layout.closeMenu} onClick={() => setOpen(false)} />}
      <nav class={`side ${open ? "open" : ""}`} aria-label={common.layout.mainNavigation}>
        <Link href="/" class="brand">
          <Logo />
          {common.appName}
        </Link>
        <button
          type="button"
          class="button quiet find-all"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => {
            setOpen(false);
            setPanel("palette");
          }}
        >
          <Icon name="analysis" />
          <span class="grow">{common.layout.find}</span>
          <kbd aria-hidden="true">{isMac ? common.layout.findKeyMac : common.layout.findKey}</kbd>
        </button>
        {menu
          .filter((e) => !e.needs || hasPermission(user, e.needs))
          .map((e) => (
            <Link key={e.href} href={e.href} class="nav" data-key={e.key} aria-current={isCurrent(e.href, path) ? "page" : undefined} onClick={() => setOpen(false)}>
              <Icon name={e.icon} />
              {e.name}
            </Link>
          ))}
        <div class="foot">
          <button type="button" class="switch" role="switch" aria-checked={dark} onClick={() => chooseTheme(dark ? "light" : "dark")}>
            {common.layout.darkTheme}
            <span class="track" />
          </button>
          <Link href="/account" class="nav" data-key="y" aria-current={path === "/account" ? "page" : undefined}>
            <Icon name="person" />
            <span class="clip">{user.username}</span>
          </Link>
          <button type="button" class="button quiet" onClick={leave}>
            <Icon name="out" />
            {common.actions.signOut}
          </button>
        </div>
      </nav>
      <main class="page" id="main" tabIndex={-1}>
        {children}
      </main>
      <LazyCommands panel={panel} onOpen={setPanel} signOut={leave} />
    </div>
  );
}

// LazyCommands loads the command palette and the list of keys when one of them is first opened.
function LazyCommands({ panel, onOpen, signOut }: { panel: Panel | null; onOpen: (panel: Panel | null) => void; signOut: () => void }) {
  const [loaded, setLoaded] = useState<typeof import("./commands")>();
  useEffect(() => {
    if (panel && !loaded) import("./commands").then(setLoaded, () => showError(new Error(common.errors.pageNotLoaded)));
  }, [panel]);
  return panel && loaded ? <loaded.Commands key={panel} panel={panel} onOpen={onOpen} signOut={signOut} /> : null;
}

// NotFoundPage is shown for unknown URLs.
export function NotFoundPage() {
  return (
    <div class="empty">
      <h1>{common.layout.notFound}</h1>
      <div class="row">
        <button type="button" class="button primary" onClick={() => navigate("/")}>
          {common.layout.goToMonitors}
        </button>
      </div>
    </div>
  );
}
