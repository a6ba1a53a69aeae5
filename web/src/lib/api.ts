// HTTP client of the server. The session cookie authenticates requests. They also send the session's
// CSRF token, so that other sites cannot forge them: some GET requests change something, too.

import { common } from "../strings/common";
import type { Page } from "./types";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfter = 0, // seconds to wait before trying again, from the Retry-After header
  ) {
    super(message);
  }
}

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined | null>;
  body?: unknown;
  signal?: AbortSignal;
  keepalive?: boolean; // finish the request even if the user leaves the page
}

let csrf = "";
let signedOut: () => void = () => {};
let renew: () => Promise<boolean> = async () => false;

// setCsrf sets the CSRF token of the session.
export function setCsrf(token: string) {
  csrf = token;
}

// onSignedOut sets the handlers for an invalid session. ended runs when the session has ended.
// renewed runs when the server rejects the CSRF token because the user signed in again in another
// tab; it reports whether to send the request again.
export function onSignedOut(ended: () => void, renewed: () => Promise<boolean>) {
  signedOut = ended;
  renew = renewed;
}

const isCsrfError = (err: ApiError) => err.status === 403 && err.message.includes("CSRF");

// urlOf returns a path with its query parameters. It omits empty ones.
export function urlOf(path: string, query: CallOptions["query"] = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

async function send(method: string, path: string, options: CallOptions): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (csrf) headers["X-CSRF-Token"] = csrf;
  let body: BodyInit | undefined;
  if (options.body instanceof Blob) {
    body = options.body;
  } else if (options.body !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(options.body);
  }
  try {
    return await fetch(urlOf(path, options.query), { method, headers, body, signal: options.signal, keepalive: options.keepalive, credentials: "same-origin" });
  } catch (err) {
    if (err instanceof DOMException && err.name === "AbortError") throw err;
    throw new ApiError(0, common.errors.unreachable);
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  let message = `${response.status} ${response.statusText}`;
  try {
    const body = await response.json();
    message = body.message?.replace(/^Invalid request body: (.)/, (_: string, first: string) => first.toUpperCase()) ?? message;
  } catch {
    // not JSON; a proxy may have answered
  }
  return new ApiError(response.status, message, Number(response.headers.get("Retry-After")) || 0);
}

// call sends a request and returns the JSON of the response, or undefined if the response has no
// content. It throws an ApiError for responses with an error status.
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  let response = await send(method, path, options);
  if (!response.ok) {
    let err = await errorOf(response);
    if (isCsrfError(err) && (await renew())) {
      response = await send(method, path, options);
      if (!response.ok) err = await errorOf(response);
    }
    if (err.status === 401 && !path.endsWith("/session")) signedOut();
    if (!response.ok) throw err;
  }
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

export const get = <T>(path: string, query?: CallOptions["query"], signal?: AbortSignal) => call<T>("GET", path, { query, signal });
export const post = <T>(path: string, body?: unknown, query?: CallOptions["query"]) => call<T>("POST", path, { body: body ?? {}, query });
export const put = <T>(path: string, body?: unknown) => call<T>("PUT", path, { body: body ?? {} });
export const patch = <T>(path: string, body: unknown) => call<T>("PATCH", path, { body });
export const remove = (path: string, query?: CallOptions["query"]) => call<void>("DELETE", path, { query });

// listAll returns all items of a paginated list.
export async function listAll<T>(path: string, query: CallOptions["query"] = {}): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await get<Page<T>>(path, { ...query, limit: 1000, cursor });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor);
  return items;
}

// isAborted reports whether an error means that the caller canceled the request.
export function isAborted(err: unknown): boolean {
  return err instanceof DOMException && err.name === "AbortError";
}
