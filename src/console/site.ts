import type { SiteSpec } from '../config/schema/site.ts';
import type { Exchange } from '../http/exchange.ts';
import { serverUrl } from '../surfaces/openapi/server-url.ts';
import type { ConsoleParts } from './parts.ts';

export function siteOf({ current }: Pick<ConsoleParts, 'current'>, exchange: Exchange): SiteSpec | undefined {
  const { catalog } = current();
  const name = catalog.siteFor(exchange.host);
  return name === undefined ? undefined : catalog.site(name);
}

/** Host and address of the gateway in this request, for links in e-mails. */
export function requestOrigin(exchange: Exchange): { readonly host: string; readonly url: string } {
  return { host: exchange.host, url: serverUrl(exchange) };
}
