import type { CredentialHealth, NewModel, NewUpstream, Resource as AnyResource } from './wire.ts';

/**
 * A configuration entry with its typed spec. The API description leaves the spec open, because each kind has its own.
 */
export type Resource<Spec = AnyResource['spec']> = Omit<AnyResource, 'spec'> & { readonly spec: Spec };

export type Source = AnyResource['source'];

/** An upstream as the configuration has it, without its secrets, with the fields of its kind. */
export type UpstreamSpec = NewUpstream & { readonly [field: string]: unknown };

export type RouteSpec = NewModel['routes'][number];

export type PriceSpec = Exclude<NewModel['price'], 'free'>;

export type HealthName = CredentialHealth['state'];
