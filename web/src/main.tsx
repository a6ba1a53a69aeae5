import "./style.css";
import { Component, render, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, onSignedOut } from "./lib/api";
import { reloadAll } from "./lib/load";
import { match, navigate, onPrepare, sameOriginPath, useLocation } from "./lib/router";
import { currentSession, SessionContext, type ActiveSession } from "./lib/session";
import { startDensity } from "./lib/density";
import { startTheme } from "./lib/theme";
import type { DemoLogin } from "./lib/types";
import { ErrorNotice, Skeleton } from "./components/basics";
import { Layout, NotFoundPage } from "./components/layout";
import { MonitorLayout } from "./components/monitorlayout";
import { Toasts } from "./components/toast";
import pages from "./pages.json";
import { NewPassword, SignIn, SignInAgain } from "./pages/signin";
import { common } from "./strings/common";

// A Page receives the variables of its path as properties.
type Page = ComponentType<any>;

interface Route {
  path: string;
  title: string;
  module: string; // file in the folder pages
  component: string; // name of the export
}

// A Redirect sends an old path to the page that replaced it.
interface Redirect {
  path: string;
  redirect: string; // a path with the same variables
}

// Each page is loaded when first shown. The build copies the list for the server, which serves
// index.html at the same paths.
const routes = pages.filter((p): p is Route => "module" in p);
const redirects = pages.filter((p): p is Redirect => "redirect" in p);

// redirectTarget returns the path that replaced an old one, or undefined.
function redirectTarget(path: string): string | undefined {
  for (const r of redirects) {
    const values = match(r.path, path);
    if (values) return r.redirect.replace(/:(\w+)/g, (_, name) => encodeURIComponent(values[name]));
  }
  return undefined;
}

const modules = import.meta.glob<Record<string, Page>>(["./pages/*.tsx", "!./pages/signin.tsx"]);

async function load(r: Route): Promise<Page> {
  return (await modules[`./pages/${r.module}.tsx`]())[r.component];
}

const loaded = new Map<string, Page>();

onPrepare((path) => {
  const route = routes.find((r) => match(r.path, path));
  if (route && !loaded.has(route.path)) load(route).then((page) => loaded.set(route.path, page), () => {}); // the page tries again
});

let lastPath = ""; // path of the previous page

// CurrentPage shows the page of the current path. It moves the focus to the start of a new page for
// screen readers.
function CurrentPage() {
  const { path } = useLocation();
  const [, setVersion] = useState(0);
  const [error, setError] = useState<Error | null>(null);
  const route = routes.find((r) => match(r.path, path));
  const values = route ? match(route.path, path)! : {};
  const target = redirectTarget(path);
  useEffect(() => {
    if (target) navigate(target + window.location.search, { replace: true });
  }, [target]);
  useEffect(() => {
    let left = false;
    setError(null);
    document.title = route ? common.documentTitle(route.title) : common.appName;
    if (lastPath && lastPath !== path) document.getElementById("main")?.focus({ preventScroll: true });
    lastPath = path;
    const leave = () => {
      left = true;
    };
    if (!route || loaded.has(route.path)) return leave;
    load(route)
      .then((page) => {
        loaded.set(route.path, page);
        setVersion((n) => n + 1);
      })
      .catch(() => !left && setError(new Error(common.errors.pageNotLoaded)));
    return leave;
  }, [path]);
  if (target) return <Skeleton height="20rem" />;
  if (!route) return <NotFoundPage />;
  const Page = loaded.get(route.path);
  if (error) return <ErrorNotice error={error} retry={() => window.location.reload()} />;
  if (!Page && path.startsWith("/monitors/") && values.id) return <MonitorLayout id={values.id}>{() => <Skeleton height="20rem" />}</MonitorLayout>;
  if (!Page) return <Skeleton height="20rem" />;
  return <Page key={path} {...values} />;
}

// App shows the pages to a signed-in user. When the session ends, the page stays in place, and the
// same user can continue after signing in again.
function App() {
  const { path } = useLocation();
  const [session, setSession] = useState<ActiveSession | null | undefined>(undefined);
  const [demo, setDemo] = useState<DemoLogin>();
  const [ended, setEnded] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const current = useRef<ActiveSession | null>(null);

  // begin switches to a new session, or to none. It reports whether there is one and it belongs to
  // the same user as before. If the user has changed, it reloads the app.
  const begin = (now: ActiveSession | null): boolean => {
    const before = current.current;
    if (before && now && before.user.id !== now.user.id) {
      window.location.reload();
      return false;
    }
    current.current = now ?? before;
    setEnded(!!before && !now);
    setSession(now ?? before);
    setError(null);
    return now !== null;
  };
  const load = async (): Promise<boolean> => {
    try {
      const now = await currentSession();
      setDemo(now.demo);
      return begin(now.user ? (now as ActiveSession) : null);
    } catch (err) {
      if (err instanceof ApiError && err.status === 401) return begin(null);
      setError(err as Error);
      return false;
    }
  };
  useEffect(() => {
    onSignedOut(() => begin(null), load);
    // The back button may restore a page from the browser cache whose user has since signed out.
    window.addEventListener("pageshow", (e) => e.persisted && window.location.reload());
    load();
  }, []);
  useEffect(() => {
    if (session && path === "/signin") navigate(sameOriginPath(new URLSearchParams(window.location.search).get("to") ?? "/"), { replace: true });
  }, [session, path]);
  if (error && !session) return <ErrorNotice error={error} retry={load} />;
  if (session === undefined) return null;
  const shared = session && { session, refresh: async () => void (await load()) };
  if (path === "/invitation") {
    return (
      <SessionContext.Provider value={shared}>
        <ErrorBoundary>
          <CurrentPage />
        </ErrorBoundary>
      </SessionContext.Provider>
    );
  }
  if (session === null) return <SignIn demo={demo} onSignedIn={begin} />;
  if (session.user.mustChangePassword) return <NewPassword username={session.user.username} onChanged={async () => void (await load())} />;
  if (path === "/signin") return null;
  return (
    <SessionContext.Provider value={shared}>
      <Layout>
        <ErrorBoundary key={path}>
          <CurrentPage />
        </ErrorBoundary>
      </Layout>
      {ended && <SignInAgain user={session.user.username} onSignedIn={(s) => begin(s) && reloadAll()} />}
    </SessionContext.Provider>
  );
}

// ErrorBoundary shows an error thrown by a page, so that the rest of the app keeps working.
class ErrorBoundary extends Component<{ children: ComponentChildren }, { error?: Error }> {
  static override getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    if (!this.state.error) return this.props.children;
    return <ErrorNotice error={new Error(common.errors.pageFailed(this.state.error.message))} retry={() => window.location.reload()} undo={{ name: common.layout.goToMonitors, act: () => navigate("/") }} />;
  }
}

startTheme();
startDensity();
render(
  <>
    <App />
    <Toasts />
  </>,
  document.getElementById("app")!,
);
