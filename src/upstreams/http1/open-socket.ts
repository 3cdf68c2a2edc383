import { connect as connectPlain, isIP, type LookupFunction, Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { type EgressGuard, guardedLookup, refusalFor } from './egress-guard.ts';
import type { Proxy } from './proxy.ts';
import { openTunnel, type TunnelDone } from './proxy-tunnel.ts';

/** Where a socket goes and by which way. */
export interface SocketPlace {
  readonly origin: URL;
  readonly lookup: LookupFunction;
  /** Where connections may go; anywhere if left out. */
  readonly guard: EgressGuard | undefined;
  /** The proxy on the way. */
  readonly proxy: Proxy | undefined;
  /** What vouches for the other side; what Node trusts if left out. */
  readonly secureContext: SecureContext | undefined;
  /** The memory reads go to. */
  readBuffer(): Buffer;
}

type SocketRead = (bytes: Buffer) => void;

/**
 * Reads go straight to a callback and a buffer that is used again, past the stream machinery: that machinery, and a
 * fresh buffer a read, cost more than all else this client does.
 */
export function openSocket(place: SocketPlace, read: SocketRead): Socket {
  const { protocol, port } = place.origin;
  const address = addressOf(place.origin);
  const lookup = place.guard ? guardedLookup(place.lookup, place.guard) : place.lookup;
  const onread = {
    buffer: () => place.readBuffer(),
    callback: (size: number, buffer: Uint8Array) => {
      read((buffer as Buffer).subarray(0, size));
      return true;
    },
  };
  const endpoint = { host: address, lookup, keepAlive: true, keepAliveInitialDelay: 30_000, onread };
  const refusal = refusalOf(address, place.guard);
  if (refusal) return new Socket().destroy(refusal);
  if (protocol !== 'https:') return connectPlain({ ...endpoint, port: Number(port || 80) });
  return connectTls({ ...endpoint, port: Number(port || 443), ...tlsOptions(place) });
}

/**
 * The same by way of the proxy: TLS through a tunnel, plain HTTP on a connection to the proxy itself, which is where the
 * operator says and so is not guarded. Says nothing after `destroy`.
 */
export function openSocketByProxy(place: SocketPlace, proxy: Proxy, heard: { read: SocketRead; done: TunnelDone }) {
  let step: { destroy(): void } | undefined;
  let isOver = false;
  checkTarget(place, (refusal) => {
    if (isOver) return;
    if (refusal) return heard.done(refusal);
    step = place.origin.protocol === 'https:' ? tunnelled(place, proxy, heard) : toProxy(place, proxy, heard);
  });
  return {
    destroy() {
      isOver = true;
      step?.destroy();
    },
  };
}

function tunnelled(place: SocketPlace, proxy: Proxy, { read, done }: { read: SocketRead; done: TunnelDone }) {
  return openTunnel(place.origin, proxy, (error, tunnel) => {
    if (!tunnel) return done(error);
    done(undefined, connectTls({ socket: tunnel, ...tlsOptions(place) }).on('data', read));
  });
}

function toProxy(place: SocketPlace, { url }: Proxy, { read, done }: { read: SocketRead; done: TunnelDone }) {
  const trusted = { ...place, readBuffer: () => place.readBuffer(), origin: url, guard: undefined };
  done(undefined, openSocket(trusted, read));
  return { destroy() {} };
}

function tlsOptions({ origin, secureContext }: SocketPlace) {
  const address = addressOf(origin);
  return {
    host: address,
    servername: isIP(address) ? '' : address,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(secureContext && { secureContext }),
  };
}

/**
 * A proxy looks names up itself, so what it will find cannot be known here. What this machine knows of a name counts all the
 * same; a name that only the proxy knows is for the proxy to allow.
 */
function checkTarget({ origin, guard, lookup }: SocketPlace, next: (refusal: Error | undefined) => void): void {
  const address = addressOf(origin);
  if (!guard || isIP(address) !== 0) {
    const refusal = refusalOf(address, guard);
    // The connection that asked is not there yet.
    queueMicrotask(() => next(refusal));
    return;
  }
  lookup(address, { all: true }, (unknown, found) => {
    const addresses = unknown ? [] : Array.isArray(found) ? found.map((each) => each.address) : [found];
    const refusal = addresses.map((each) => refusalFor(guard, address, each)).find((each) => each !== undefined);
    queueMicrotask(() => next(refusal));
  });
}

/** The host without the brackets that an address has in one. */
export function addressOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** An address needs no look-up, and so would get past the guard there. */
function refusalOf(address: string, guard: EgressGuard | undefined): Error | undefined {
  return isIP(address) === 0 || !guard ? undefined : refusalFor(guard, address, address);
}
