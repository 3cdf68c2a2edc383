import type { SiteSpec } from '../../platform/config/schema/site.ts';
import type { Exchange } from '../../serving/http/exchange.ts';
import type { ConsoleParts } from './parts.ts';

export function siteOf({ current }: Pick<ConsoleParts, 'current'>, exchange: Exchange): SiteSpec | undefined {
  const { catalog } = current();
  const name = catalog.siteFor(exchange.host);
  return name === undefined ? undefined : catalog.site(name);
}
