import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { get, post, remove, setCsrf } from "./api";
import type { Permission, Session, SessionUser } from "./types";

// An ActiveSession is the session of a user; other visitors have one without a user.
export type ActiveSession = Session & { user: SessionUser };

export const SessionContext = createContext<{ session: ActiveSession; refresh: () => Promise<void> } | null>(null);

// useUser returns who is signed in. Pages inside the frame always have someone.
export function useUser(): SessionUser {
  const context = useContext(SessionContext);
  if (!context) throw new Error("nobody is signed in");
  return context.session.user;
}

export function useSession() {
  const context = useContext(SessionContext);
  if (!context) throw new Error("nobody is signed in");
  return context;
}

// hasPermission reports whether a user has a permission; administrators have all.
export function hasPermission(user: SessionUser, permission: Permission): boolean {
  return user.admin || user.permissions.includes(permission);
}

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
