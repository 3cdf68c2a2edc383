import type { AnswerParts } from '../answer/answer.ts';
import type { HttpPool } from '../http1/pool.ts';
import type { ProviderAddress } from '../provider-address.ts';
import type { UpstreamCall } from '../upstream.ts';

/** One endpoint of a provider and its wire format. */
export interface Service {
  readonly address: ProviderAddress;
  readonly pool: HttpPool;
  answers(call: UpstreamCall): AnswerParts;
  encode(call: UpstreamCall): string;
}
