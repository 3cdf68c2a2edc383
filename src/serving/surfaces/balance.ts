import type { Balance } from '../../money/billing/wallet/balance.ts';
import type { KeyHolder } from '../../core/caller.ts';
import { decimalText } from '../../core/money.ts';
import type { Route } from '../http/route.ts';
import { bearerSecret, callerOf } from './caller.ts';
import type { SurfaceParts } from './conversation.ts';

export interface BalanceParts {
  balance(accountId: string): Promise<Balance>;
  /** Whether none of the key's limits is spent. */
  isWithinLimits(key: KeyHolder): Promise<boolean>;
}

/** `GET /v1/user/balance`: the balance of the account, with the charges of all answers that clients have received. */
export function userBalance(parts: SurfaceParts & BalanceParts): Route {
  return {
    method: 'GET',
    path: '/v1/user/balance',
    handle: async (exchange) => {
      const { key } = await callerOf(parts, exchange, bearerSecret);
      const balance = await parts.balance(key.accountId);
      const { granted, toppedUp, floor } = balance;
      const isAvailable = granted + toppedUp > floor && (!key.limits || (await parts.isWithinLimits(key)));
      exchange.json(200, encodeBalance(balance, isAvailable, parts.settings().currency));
    },
  };
}

function encodeBalance({ granted, toppedUp }: Balance, isAvailable: boolean, currency: string) {
  return {
    is_available: isAvailable,
    balance_infos: [
      {
        currency,
        total_balance: decimalText(granted + toppedUp),
        granted_balance: decimalText(granted),
        topped_up_balance: decimalText(toppedUp),
      },
    ],
  };
}
