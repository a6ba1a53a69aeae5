import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { get, post, remove, setCsrf } from "./api";
import type { Permission, Session, SessionUser } from "./types";

// An ActiveSession is a session with a signed-in user. Other visitors have a session without a
// user.
export type ActiveSession = Session & { user: SessionUser };

export const SessionContext = createContext<{ session: ActiveSession; refresh: () => Promise<void> } | null>(null);

// useUser returns the signed-in user. It throws outside of the layout, where no user is known.
export function useUser(): SessionUser {
  const context = useContext(SessionContext);
  if (!context) throw new Error("no signed-in user");
  return context.session.user;
}

export function useSession() {
  const context = useContext(SessionContext);
  if (!context) throw new Error("no signed-in user");
  return context;
}

// hasPermission reports whether a user has a permission. Administrators have all permissions.
export function hasPermission(user: SessionUser, permission: Permission): boolean {
  return user.admin || user.permissions.includes(permission);
}

// adopt waits for a session and uses its CSRF token from then on.
async function adopt<S extends Session>(response: Promise<S>): Promise<S> {
  const session = await response;
  setCsrf(session.csrf);
  return session;
}

export const currentSession = () => adopt(get<Session>("/manage/v1/session"));
export const signIn = (username: string, password: string) => adopt(post<ActiveSession>("/manage/v1/session", { username, password }));

export async function signOut() {
  await remove("/manage/v1/session");
  setCsrf("");
}
