import { isIP, SocketAddress } from 'node:net';

/** What a request says of its way here. */
export interface ProxyPath {
  /** Where the connection comes from, as `plainAddress` writes it. */
  readonly peer: string;
  readonly forwardedFor: string | undefined;
  readonly forwarded: string | undefined;
}

/**
 * Where a request comes from: the nearest place on its way that is no proxy we trust. Only a trusted proxy is believed,
 * and only about who spoke to it. If its two headers name different places, one of them is the client's invention, and
 * neither counts.
 */
export function clientAddress(
  { peer, forwardedFor, forwarded }: ProxyPath,
  isTrusted: (address: string) => boolean,
): string {
  if (forwardedFor === undefined && forwarded === undefined) return peer;
  const byList = forwardedFor === undefined ? undefined : nearest(peer, forwardedFor.split(','), isTrusted);
  const byPairs = forwarded === undefined ? undefined : nearest(peer, namedIn(forwarded), isTrusted);
  if (byList !== undefined && byPairs !== undefined && byList !== byPairs) return peer;
  return byList ?? byPairs ?? peer;
}

function nearest(peer: string, places: readonly string[], isTrusted: (address: string) => boolean): string {
  let here = peer;
  for (const place of places.toReversed()) {
    const before = isTrusted(here) ? plainAddress(place) : undefined;
    if (before === undefined) return here;
    here = before;
  }
  return here;
}

/** The `for=` of every element of a `Forwarded` header; an element without one hides its place. */
function namedIn(header: string): readonly string[] {
  return header.split(',').map((element) => /(?:^|;)\s*for="?([^";]*)"?/i.exec(element)?.[1] ?? '');
}

/** The address without port, brackets or zone, IPv4 in its own form, IPv6 in its shortest; nothing if it is none. */
export function plainAddress(place: string): string | undefined {
  const [, bracketed, port, bare] = /^\s*(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|([^\s[\]]+))\s*$/.exec(place) ?? [];
  const address = withoutMapping(bracketed ?? port ?? bare ?? '').replace(/%.*$/, '');
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      // One place has many spellings, also of IPv4 inside IPv6, and lists of addresses know one.
      return withoutMapping(new SocketAddress({ address, family: 'ipv6' }).address);
    default:
      return undefined;
  }
}

function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
