import { GatewayError } from 'chat-formats/gateway-error.ts';
import { decimalText } from '../../../core/money.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { allTime, type Budget } from './budget.ts';

/** The error for a request whose maximum cost is above the rest of a budget. */
export function limitReachedError(budget: Budget): GatewayError {
  const { scope, subjectId, limit, period, since, until } = budget;
  const [each = ''] = period.split(' ');
  const resetsAt = until === allTime.until ? undefined : new Date(until).toISOString();
  if (scope === 'key') return new GatewayError('key-cap-reached', { detail: capDetail(budget, each, resetsAt) });
  const params = { scope, amount: decimalText(limit) };
  return new GatewayError('limit-reached', {
    limit: { scope, subjectId, amount: limit, period: each, since, until },
    reason:
      resetsAt === undefined
        ? reason('total_limit_reached', params)
        : reason('limit_reached', { ...params, period: each, resets_at: resetsAt }),
  });
}

function capDetail({ limit }: Budget, each: string, resetsAt: string | undefined): string {
  const when = resetsAt === undefined ? 'in total' : `per ${each}`;
  const wait = resetsAt === undefined ? '' : `, wait until it resets at ${resetsAt}`;
  return `This key has a spend cap of ${decimalText(limit)} ${when}. The remainder is below the maximum cost of this request. Ask its owner to raise the cap${wait}, or lower max_tokens.`;
}
