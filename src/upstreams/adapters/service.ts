import type { AnswerParts } from '../answer/answer.ts';
import type { HttpPool } from '../http1/pool.ts';
import type { ProviderAddress } from '../provider-link.ts';
import type { UpstreamCall } from '../upstream.ts';
import { markupFor, type MarkupRequest } from '../../dialects/markup/markup-request.ts';

/** One endpoint of a provider and its wire format. */
export interface Service {
  readonly address: ProviderAddress;
  readonly pool: HttpPool;
  answers(call: UpstreamCall): AnswerParts;
  encode(call: UpstreamCall): string;
}

export function markupOfCall(call: UpstreamCall): MarkupRequest {
  const { model, thinking, toolFormat, thinksFirst, repairArguments = false } = call;
  return markupFor(call.request, { model, thinking, toolFormat, thinksFirst, repairArguments });
}
