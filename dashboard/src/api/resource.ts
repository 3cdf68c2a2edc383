import type { CredentialHealth, NewModel, NewUpstream, Resource as AnyResource } from './wire.ts';

/** An entry of the configuration with what it says. The API's description leaves that open, since each kind has its own. */
export type Resource<Spec = AnyResource['spec']> = Omit<AnyResource, 'spec'> & { readonly spec: Spec };

/** Who owns an entry. */
export type Source = AnyResource['source'];

/** An upstream as the configuration says it, without its secrets, with fields of whatever kind it is. */
export type UpstreamSpec = NewUpstream & { readonly [field: string]: unknown };

export type RouteSpec = NewModel['routes'][number];

export type PriceSpec = Exclude<NewModel['price'], 'free'>;

export type HealthName = CredentialHealth['state'];
