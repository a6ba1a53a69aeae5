import { type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link, navigate, useLocation } from "../lib/router";
import { hasPermission, signOut, useSession, useUser } from "../lib/session";
import { chooseTheme, useDark } from "../lib/theme";
import { common } from "../strings/common";
import { Icon, Logo, type IconName } from "./icon";
import { showError } from "./toast";

interface MenuItem {
  href: string;
  name: string;
  icon: IconName;
  needs?: "content" | "streams" | "admin";
}

const menu: MenuItem[] = [
  { href: "/", name: "Monitors", icon: "monitor" },
  { href: "/compare", name: "Compare", icon: "compare" },
  { href: "/streams", name: "Streams", icon: "stream", needs: "streams" },
  { href: "/analysis", name: common.pages.analysis, icon: "analysis" },
  { href: "/uploads", name: common.pages.uploads, icon: "content", needs: "content" },
  { href: "/connect", name: "API", icon: "api" },
  { href: "/admin", name: "Administration", icon: "admin", needs: "admin" },
];

function isCurrent(href: string, path: string): boolean {
  return href === "/" ? path === "/" || path.startsWith("/monitors") : path === href || path.startsWith(`${href}/`);
}

// Layout is the frame around every page: where one can go, and who is signed in.
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
        Skip to the page
      </a>
      <header class="topbar">
        <button type="button" class="button quiet" aria-label="Menu" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="menu" />
        </button>
        <Link href="/" class="brand">
          <Logo />
          Earshot
        </Link>
      </header>
      {open && <button type="button" class="veil" aria-label="Close the menu" onClick={() => setOpen(false)} />}
      <nav class={`side ${open ? "open" : ""}`} aria-label="Main">
        <Link href="/" class="brand">
          <Logo />
          Earshot
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
            {dark ? "Light" : "Dark"}
          </button>
          <Link href="/account" class="nav" aria-current={path === "/account" ? "page" : undefined}>
            <Icon name="person" />
            <span class="clip">{user.username}</span>
          </Link>
          <button type="button" class="button quiet" onClick={leave}>
            <Icon name="out" />
            Sign out
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

// NotFoundPage is shown for addresses that no page has.
export function NotFoundPage() {
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <div class="row">
        <button type="button" class="button primary" onClick={() => navigate("/")}>
          To the monitors
        </button>
      </div>
    </div>
  );
}
