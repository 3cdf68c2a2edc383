import type { SiteSpec } from '../config/site.ts';
import type { Exchange } from '../http/exchange.ts';
import { serverUrl } from '../surfaces/openapi/server-url.ts';
import type { ConsoleParts } from './parts.ts';

/** The site whose domain the request names. */
export function siteOf({ current }: Pick<ConsoleParts, 'current'>, exchange: Exchange): SiteSpec | undefined {
  const { catalog } = current();
  const name = catalog.siteFor(exchange.host);
  return name === undefined ? undefined : catalog.site(name);
}

/** Where somebody reached the gateway, as letters want to know it. */
export function requestOrigin(exchange: Exchange): { readonly host: string; readonly url: string } {
  return { host: exchange.host, url: serverUrl(exchange) };
}
