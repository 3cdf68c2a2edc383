import { isIP } from 'node:net';
import { z } from 'zod';
import { webUrl } from './fields.ts';
import { addressRanges } from '../../../core/address-ranges.ts';
import { isAddressOrRange } from './egress.ts';
import type { Environment } from '../environment.ts';
import { breaks } from '../file/wording.ts';

/** Returns the proxy for an origin, as written in the setting; `undefined` if it needs none. */
export type ProxyFor = (origin: URL) => string | undefined;

export const proxySchema = z
  .union([z.literal('none'), webUrl], breaks('not_a_proxy'))
  .meta({ title: 'a proxy', sample: 'http://proxy.internal:3128, none' });

/**
 * The proxies of the usual environment variables: `HTTPS_PROXY` for TLS, `HTTP_PROXY` for plain HTTP, `ALL_PROXY` for both.
 * Lower-case names take precedence. `NO_PROXY` lists the hosts that need no proxy. Requests to this machine never use one.
 */
export function environmentProxies(env: Environment): ProxyFor {
  const read = (name: string): string | undefined => env[name.toLowerCase()]?.trim() || env[name]?.trim() || undefined;
  const forTls = read('HTTPS_PROXY') ?? read('ALL_PROXY');
  const forHttp = read('HTTP_PROXY') ?? read('ALL_PROXY');
  const isExempt = exemptions(read('NO_PROXY') ?? '');
  return (origin) => {
    const proxy = origin.protocol === 'https:' ? forTls : forHttp;
    if (proxy === undefined || isOwnMachine(hostOf(origin)) || isExempt(origin)) return undefined;
    return proxy.includes('://') ? proxy : `http://${proxy}`;
  };
}

/** `example.com`, `.example.com` and `*.example.com` match that host and its subdomains, with a port only on that port. */
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
      [host, `${host}:${port}`].some((target) => target === name || target.endsWith(`.${name}`)),
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
