// safeHref returns an address that a link may have: of the web, and nothing that runs. Addresses of posts come from others.
export function safeHref(address: string | undefined | null): string | undefined {
  if (!address) return undefined;
  try {
    const { protocol, href } = new URL(address);
    return protocol === "http:" || protocol === "https:" ? href : undefined;
  } catch {
    return undefined;
  }
}
