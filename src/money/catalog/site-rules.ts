import { productFields } from '../../platform/config/schema/moved-clients.ts';
import type { SiteSpec } from '../../platform/config/schema/site.ts';

/** Where a site accepts keys, besides the headers of the surfaces. */
export interface KeyPlaces {
  /** Whether the messages surface accepts the bearer token of any client. */
  readonly takesAnyBearer: boolean;
  /** Headers of other gateways, which decide before the header of the surface. */
  readonly headers: readonly string[];
}

/** The settings of a site for clients of other gateways, in the form that requests need. */
export interface SiteRules {
  readonly keyPlaces: KeyPlaces;
  /** Paths that stand for `/v1`. The root is empty. */
  readonly prefixes: readonly string[];
  /** The error for a model that the caller cannot use. */
  readonly unknownModel: 'access-denied' | 'unknown-model';
  /** Fields that are removed from request bodies. */
  readonly ignored: ReadonlySet<string> | undefined;
}

type RuledSite = Pick<
  SiteSpec,
  'messagesBearer' | 'keyHeaders' | 'pathPrefixes' | 'unknownModelStatus' | 'ignoreFields'
>;

export function siteRules(site: RuledSite): SiteRules {
  const ignored = site.ignoreFields.flatMap((name) => productFields[name] ?? [name]);
  return {
    keyPlaces: { takesAnyBearer: site.messagesBearer, headers: site.keyHeaders },
    prefixes: site.pathPrefixes.map((prefix) => (prefix === '/' ? '' : prefix)),
    unknownModel: site.unknownModelStatus === 404 ? 'unknown-model' : 'access-denied',
    ignored: ignored.length === 0 ? undefined : new Set(ignored),
  };
}

/** For hosts without a site. */
export const noRules: SiteRules = {
  keyPlaces: { takesAnyBearer: false, headers: [] },
  prefixes: [],
  unknownModel: 'access-denied',
  ignored: undefined,
};
