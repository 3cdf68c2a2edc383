import type { SiteSpec } from '../config/site.ts';

/** The longest name the domain system knows; whatever is longer is no domain. */
const hostCharactersMax = 253;

/** Finds the site of a request's `Host`: an exact domain beats the longest `*.suffix`, which beats `*`. */
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

/** A trailing dot only says that the name is complete. */
function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '');
}
