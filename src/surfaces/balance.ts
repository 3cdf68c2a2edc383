import type { Balance } from '../billing/wallet/balance.ts';
import { decimalText } from '../core/money.ts';
import type { Route } from '../http/route.ts';
import { bearerSecret, callerOf } from './caller.ts';
import type { SurfaceParts } from './conversation.ts';

/** `GET /v1/user/balance`: the balance of the account, with the charges of all answers that clients have received. */
export function userBalance(parts: SurfaceParts & { balance(accountId: string): Promise<Balance> }): Route {
  return {
    method: 'GET',
    path: '/v1/user/balance',
    handle: async (exchange) => {
      const { key } = await callerOf(parts, exchange, bearerSecret);
      const balance = await parts.balance(key.accountId);
      exchange.json(200, encodeBalance(balance, parts.settings().currency));
    },
  };
}

function encodeBalance({ granted, toppedUp, floor }: Balance, currency: string) {
  return {
    is_available: granted + toppedUp > floor,
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
