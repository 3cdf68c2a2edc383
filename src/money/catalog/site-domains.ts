import type { SiteSpec } from '../../platform/config/schema/site.ts';

/** The maximum length of a DNS name. */
const hostCharactersMax = 253;

/**
 * Returns a function that finds the site for the `Host` of a request. An exact domain wins over the longest `*.suffix`,
 * which wins over `*`.
 */
export function siteDomains(
  sites: readonly Pick<SiteSpec, 'name' | 'domains'>[],
): (host: string) => string | undefined {
  const siteOf = new Map(sites.flatMap((site) => site.domains.map((domain) => [domain.toLowerCase(), site.name])));
  const hasSuffixes = [...siteOf.keys()].some((domain) => domain.startsWith('*.'));
  return (host) => {
    const domain = withoutPort(host).toLowerCase();
    if (domain.length > hostCharactersMax) return undefined;
    const exact = siteOf.get(domain);
    if (exact !== undefined) return exact;
    for (let dot = hasSuffixes ? domain.indexOf('.') : -1; dot >= 0; dot = domain.indexOf('.', dot + 1)) {
      const site = siteOf.get(`*${domain.slice(dot)}`);
      if (site !== undefined) return site;
    }
    return siteOf.get('*');
  };
}

/** Removes the port and the trailing dot of a fully qualified name. */
function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '');
}
