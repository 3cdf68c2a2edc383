import { isIP, SocketAddress } from 'node:net';

interface ProxyPath {
  /** The address of the connection, in the form that `normalizeAddress` returns. */
  readonly peer: string;
  readonly forwardedFor: string | undefined;
  readonly forwarded: string | undefined;
}

/**
 * Finds the client of a request: the nearest address on its path that is not a trusted proxy. Only headers from a
 * trusted proxy count, and only for the address that connected to that proxy. If the two headers disagree, the client
 * may have forged one, and neither counts.
 */
export function clientAddress(
  { peer, forwardedFor, forwarded }: ProxyPath,
  isTrusted: (address: string) => boolean,
): string {
  if (forwardedFor === undefined && forwarded === undefined) return peer;
  const byList = forwardedFor === undefined ? undefined : nearest(peer, forwardedFor.split(','), isTrusted);
  const byPairs = forwarded === undefined ? undefined : nearest(peer, forwardedAddresses(forwarded), isTrusted);
  if (byList !== undefined && byPairs !== undefined && byList !== byPairs) return peer;
  return byList ?? byPairs ?? peer;
}

function nearest(peer: string, addresses: readonly string[], isTrusted: (address: string) => boolean): string {
  let current = peer;
  for (const text of addresses.toReversed()) {
    const previous = isTrusted(current) ? normalizeAddress(text) : undefined;
    if (previous === undefined) return current;
    current = previous;
  }
  return current;
}

/** The `for=` of every element of a `Forwarded` header; empty for an element without one. */
function forwardedAddresses(header: string): readonly string[] {
  return header.split(',').map((element) => /(?:^|;)\s*for="?([^";]*)"?/i.exec(element)?.[1] ?? '');
}

/** The address without port, brackets or zone: IPv4 in dotted form, IPv6 in its shortest. Undefined if invalid. */
export function normalizeAddress(text: string): string | undefined {
  const [, bracketed, port, bare] = /^\s*(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+|([^\s[\]]+))\s*$/.exec(text) ?? [];
  const address = withoutMapping(bracketed ?? port ?? bare ?? '').replace(/%.*$/, '');
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      // One address has many spellings, including IPv4 mapped into IPv6. Address lists are matched against this one.
      return withoutMapping(new SocketAddress({ address, family: 'ipv6' }).address);
    default:
      return undefined;
  }
}

function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
