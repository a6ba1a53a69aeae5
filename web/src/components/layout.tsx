import { type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link, navigate, useLocation } from "../lib/router";
import { hasPermission, signOut, useSession, useUser } from "../lib/session";
import { chooseTheme, useDark } from "../lib/theme";
import { Icon, Logo, type IconName } from "./icon";
import { showError } from "./toast";
import { common } from "../strings/common";

// needs is the permission without which the menu hides an item.
interface MenuItem {
  href: string;
  name: string;
  icon: IconName;
  needs?: "content" | "streams" | "admin";
}

const menu: MenuItem[] = [
  { href: "/", name: common.pages.monitors, icon: "monitor" },
  { href: "/compare", name: common.pages.compare, icon: "compare" },
  { href: "/streams", name: common.pages.streams, icon: "stream", needs: "streams" },
  { href: "/analysis", name: common.pages.analysis, icon: "analysis" },
  { href: "/sources", name: common.pages.sources, icon: "sources" },
  { href: "/uploads", name: common.pages.uploads, icon: "content", needs: "content" },
  { href: "/connect", name: common.pages.api, icon: "api" },
  { href: "/admin", name: common.pages.admin, icon: "admin", needs: "admin" },
];

function isCurrent(href: string, path: string): boolean {
  return href === "/" ? path === "/" || path.startsWith("/monitors") : path === href || path.startsWith(`${href}/`);
}

// Layout is the frame around every page: the menu, the theme switch and the signed-in user.
export function Layout({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const user = useUser();
  const { session } = useSession();
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
        {menu
          .filter((e) => !e.needs || hasPermission(user, e.needs))
          .map((e) => (
            <Link key={e.href} href={e.href} class="nav" aria-current={isCurrent(e.href, path) ? "page" : undefined} onClick={() => setOpen(false)}>
              <Icon name={e.icon} />
              {e.name}
            </Link>
          ))}
        <div class="foot">
          <button type="button" class="button quiet" onClick={() => chooseTheme(dark ? "light" : "dark")}>
            <Icon name={dark ? "sun" : "moon"} />
            {dark ? common.layout.lightTheme : common.layout.darkTheme}
          </button>
          <Link href="/account" class="nav" aria-current={path === "/account" ? "page" : undefined}>
            <Icon name="person" />
            <span class="clip">{user.username}</span>
          </Link>
          <button type="button" class="button quiet" onClick={leave}>
            <Icon name="out" />
            {common.actions.signOut}
          </button>
          <span class="small muted" style={{ padding: "0.25rem 0.6rem" }}>
            {session.version}
          </span>
        </div>
      </nav>
      <main class="page" id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
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
