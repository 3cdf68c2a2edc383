import { isIP } from 'node:net';
import { z } from 'zod';
import { addressRanges } from '../core/address-ranges.ts';
import { isAddressOrRange } from './egress.ts';
import type { Environment } from './environment.ts';
import { breaks } from './wording.ts';

/** The proxy on the way to an origin, as its address was written; `undefined` where there is none. */
export type ProxyFor = (origin: URL) => string | undefined;

/** What an upstream's `proxy` may say. */
export const proxySchema = z
  .union([z.literal('none'), z.url({ protocol: /^https?$/ })], {
    ...breaks('not_a_proxy'),
  })
  .meta({ title: 'a proxy', sample: 'http://proxy.internal:3128, none' });

/**
 * The proxies that the usual variables name: `HTTPS_PROXY` for TLS, `HTTP_PROXY` for plain HTTP, `ALL_PROXY` for both, all of
 * them also in small letters, which win; `NO_PROXY` says where none is used. What is on this machine is never asked for by
 * way of a proxy.
 */
export function environmentProxies(env: Environment): ProxyFor {
  const said = (name: string): string | undefined => env[name.toLowerCase()]?.trim() || env[name]?.trim() || undefined;
  const secure = said('HTTPS_PROXY') ?? said('ALL_PROXY');
  const plain = said('HTTP_PROXY') ?? said('ALL_PROXY');
  const isExempt = exemptions(said('NO_PROXY') ?? '');
  return (origin) => {
    const proxy = origin.protocol === 'https:' ? secure : plain;
    if (proxy === undefined || isOwnMachine(hostOf(origin)) || isExempt(origin)) return undefined;
    return proxy.includes('://') ? proxy : `http://${proxy}`;
  };
}

/** `example.com` means that host and all below it, as do `.example.com` and `*.example.com`; a port narrows it down. */
function exemptions(list: string): (origin: URL) => boolean {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  if (entries.includes('*')) return () => true;
  const ranges = addressRanges(entries.filter(isAddressOrRange));
  const names = entries.filter((entry) => !isAddressOrRange(entry)).map((entry) => entry.replace(/^\*?\./, ''));
  return (origin) => {
    const host = hostOf(origin);
    if (isIP(host) !== 0 && ranges.has(host)) return true;
    const port = origin.port || (origin.protocol === 'https:' ? '443' : '80');
    return names.some((name) =>
      [host, `${host}:${port}`].some((place) => place === name || place.endsWith(`.${name}`)),
    );
  };
}

function isOwnMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && loopback.has(host));
}

const loopback = addressRanges(['127.0.0.0/8', '::1']);

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
