import { connect as connectPlain, isIP, type LookupFunction, Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { type EgressGuard, guardedLookup, refusalFor } from './egress-guard.ts';
import { openTunnel, type Proxy, type TunnelDone } from './proxy.ts';

export interface SocketTarget {
  readonly origin: URL;
  readonly lookup: LookupFunction;
  /** The addresses that connections may go to. Any address if left out. */
  readonly guard: EgressGuard | undefined;
  readonly proxy: Proxy | undefined;
  readonly secureContext: SecureContext | undefined;
  readBuffer(): Buffer;
}

type SocketRead = (bytes: Buffer) => void;

/** Reads go to a callback with a reused buffer: streams and a new buffer per read cost more than the rest. */
export function openSocket(target: SocketTarget, read: SocketRead): Socket {
  const { protocol, port } = target.origin;
  const address = addressOf(target.origin);
  const lookup = target.guard ? guardedLookup(target.lookup, target.guard) : target.lookup;
  const onread = {
    buffer: () => target.readBuffer(),
    callback: (size: number, buffer: Uint8Array) => {
      read((buffer as Buffer).subarray(0, size));
      return true;
    },
  };
  const endpoint = { host: address, lookup, keepAlive: true, keepAliveInitialDelay: 30_000, onread };
  const refusal = addressRefusal(address, target.guard);
  if (refusal) return new Socket().destroy(refusal);
  if (protocol !== 'https:') return connectPlain({ ...endpoint, port: Number(port || 80) });
  return connectTls({ ...endpoint, port: Number(port || 443), ...tlsOptions(target) });
}

/** TLS through a tunnel, plain HTTP to the proxy, whose address is not guarded. Calls nothing after `destroy`. */
export function openSocketByProxy(
  target: SocketTarget,
  proxy: Proxy,
  callbacks: { read: SocketRead; done: TunnelDone },
) {
  let step: { destroy(): void } | undefined;
  let isOver = false;
  checkTarget(target, (refusal) => {
    if (isOver) return;
    if (refusal) return callbacks.done(refusal);
    step =
      target.origin.protocol === 'https:'
        ? connectByTunnel(target, proxy, callbacks)
        : connectToProxy(target, proxy, callbacks);
  });
  return {
    destroy() {
      isOver = true;
      step?.destroy();
    },
  };
}

function connectByTunnel(target: SocketTarget, proxy: Proxy, { read, done }: { read: SocketRead; done: TunnelDone }) {
  return openTunnel(target.origin, proxy, (error, tunnel) => {
    if (!tunnel) return done(error);
    done(undefined, connectTls({ socket: tunnel, ...tlsOptions(target) }).on('data', read));
  });
}

function connectToProxy(target: SocketTarget, { url }: Proxy, { read, done }: { read: SocketRead; done: TunnelDone }) {
  const trusted = { ...target, readBuffer: () => target.readBuffer(), origin: url, guard: undefined };
  done(undefined, openSocket(trusted, read));
  return { destroy() {} };
}

function tlsOptions({ origin, secureContext }: SocketTarget) {
  const address = addressOf(origin);
  return {
    host: address,
    servername: isIP(address) ? '' : address,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(secureContext && { secureContext }),
  };
}

/** A proxy resolves names itself. The addresses that this machine resolves are checked nevertheless. */
function checkTarget({ origin, guard, lookup }: SocketTarget, next: (refusal: Error | undefined) => void): void {
  const address = addressOf(origin);
  if (!guard || isIP(address) !== 0) {
    const refusal = addressRefusal(address, guard);
    // Asynchronous, because the caller is still constructing its connection.
    queueMicrotask(() => next(refusal));
    return;
  }
  lookup(address, { all: true }, (unknown, results) => {
    const addresses = unknown ? [] : Array.isArray(results) ? results.map((each) => each.address) : [results];
    const refusal = addresses.map((each) => refusalFor(guard, address, each)).find((each) => each !== undefined);
    queueMicrotask(() => next(refusal));
  });
}

/** Returns the host, without the brackets of an IPv6 address. */
export function addressOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** An IP address needs no look-up, so the guard of the look-up would not see it. */
function addressRefusal(address: string, guard: EgressGuard | undefined): Error | undefined {
  return isIP(address) === 0 || !guard ? undefined : refusalFor(guard, address, address);
}
