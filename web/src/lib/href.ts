// safeHref returns a URL if it is safe to link to, that is, an http or https URL. Posts may contain
// hostile URLs, for example javascript:.
export function safeHref(address: string | undefined | null): string | undefined {
  if (!address) return undefined;
  try {
    const { protocol, href } = new URL(address);
    return protocol === "http:" || protocol === "https:" ? href : undefined;
  } catch {
    return undefined;
  }
}
