import "./style.css";
import { render, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, onSignedOut } from "./lib/api";
import { match, navigate, usePlace } from "./lib/router";
import { currentSession, SessionContext } from "./lib/session";
import { startTheme } from "./lib/theme";
import type { Session } from "./lib/types";
import { Failed, Waiting } from "./parts/basics";
import { Layout, NoSuchPage } from "./parts/layout";
import { Toasts } from "./parts/toast";
import { SignIn } from "./pages/signin";

// A page has the variables of its path as properties.
type Page = ComponentType<any>;

interface Route {
  pattern: string;
  title: string;
  load: () => Promise<Page>;
}

// The pages. Each is loaded when it is first shown. internal/ui has the same paths.
const routes: Route[] = [
  { pattern: "/", title: "Monitors", load: async () => (await import("./pages/home")).Home },
  { pattern: "/monitors/new", title: "New monitor", load: async () => (await import("./pages/edit")).NewMonitor },
  { pattern: "/monitors/:id", title: "Overview", load: async () => (await import("./pages/overview/page")).OverviewPage },
  { pattern: "/monitors/:id/posts", title: "Posts", load: async () => (await import("./pages/posts")).PostsPage },
  { pattern: "/monitors/:id/edit", title: "Settings", load: async () => (await import("./pages/edit")).EditMonitor },
  { pattern: "/monitors/:id/teach", title: "Teach", load: async () => (await import("./pages/teach")).TeachPage },
  { pattern: "/compare", title: "Compare", load: async () => (await import("./pages/compare")).ComparePage },
  { pattern: "/streams", title: "Streams", load: async () => (await import("./pages/streams")).StreamsPage },
  { pattern: "/streams/:id", title: "Stream", load: async () => (await import("./pages/streams")).StreamPage },
  { pattern: "/analysis", title: "Analysis", load: async () => (await import("./pages/analysis")).AnalysisPage },
  { pattern: "/analysis/:id", title: "Analysis", load: async () => (await import("./pages/analysis")).ResultPage },
  { pattern: "/content", title: "Own content", load: async () => (await import("./pages/content")).ContentPage },
  { pattern: "/admin", title: "Administration", load: async () => (await import("./pages/admin")).AdminPage },
  { pattern: "/connect", title: "API", load: async () => (await import("./pages/connect")).ConnectPage },
  { pattern: "/account", title: "Account", load: async () => (await import("./pages/account")).AccountPage },
];

const loaded = new Map<string, Page>();

// Shown is the page that the address names. Readers who hear pages are taken to the beginning of a new one.
function Shown() {
  const { path } = usePlace();
  const before = useRef(path);
  const [, setTurn] = useState(0);
  const [error, setError] = useState<Error | null>(null);
  const route = routes.find((r) => match(r.pattern, path));
  const values = route ? match(route.pattern, path)! : {};
  useEffect(() => {
    setError(null);
    document.title = route ? `${route.title} · Earshot` : "Earshot";
    if (before.current !== path) document.getElementById("main")?.focus({ preventScroll: true });
    before.current = path;
    if (!route || loaded.has(route.pattern)) return;
    route
      .load()
      .then((page) => {
        loaded.set(route.pattern, page);
        setTurn((n) => n + 1);
      })
      .catch(() => setError(new Error("The page could not be loaded. Perhaps Earshot was updated: load it anew.")));
  }, [path]);
  if (!route) return <NoSuchPage />;
  const Page = loaded.get(route.pattern);
  if (error) return <Failed error={error} retry={() => window.location.reload()} />;
  if (!Page) return <Waiting height="20rem" />;
  return <Page key={path} {...values} />;
}

function App() {
  const { path } = usePlace();
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [error, setError] = useState<Error | null>(null);
  const load = async () => {
    try {
      const current = await currentSession();
      setSession(current.user ? current : null);
      setError(null);
    } catch (err) {
      if (err instanceof ApiError && err.status === 401) setSession(null);
      else setError(err as Error);
    }
  };
  useEffect(() => {
    onSignedOut(() => setSession(null));
    load();
  }, []);
  useEffect(() => {
    if (session && path === "/signin") navigate(wanted(), { replace: true });
  }, [session, path]);
  if (error) return <Failed error={error} retry={load} />;
  if (session === undefined) return null;
  if (session === null) return <SignIn onSignedIn={setSession} />;
  if (path === "/signin") return null;
  return (
    <SessionContext.Provider value={{ session, refresh: load }}>
      <Layout>
        <Shown />
      </Layout>
    </SessionContext.Provider>
  );
}

// wanted is the page that someone was on the way to when asked to sign in. It is one of ours.
function wanted(): string {
  const to = new URLSearchParams(window.location.search).get("to") ?? "/";
  return to.startsWith("/") && !to.startsWith("//") && !to.startsWith("/\\") ? to : "/";
}

startTheme();
render(
  <>
    <App />
    <Toasts />
  </>,
  document.getElementById("app")!,
);
