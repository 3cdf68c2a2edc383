import type { AnswerParts } from './answer.ts';
import type { HttpPool } from './http1/pool.ts';
import type { ProviderAddress } from './provider-address.ts';
import type { UpstreamCall } from './upstream.ts';

/** One of a provider's endpoints and the wire format it speaks. */
export interface Service {
  readonly address: ProviderAddress;
  readonly pool: HttpPool;
  answers(call: UpstreamCall): AnswerParts;
  encode(call: UpstreamCall): string;
}
