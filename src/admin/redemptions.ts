import { z } from 'zod';
import type { AccountId } from '../accounts/ids.ts';
import { redeemCode } from '../codes/redeem.ts';
import { decimalText } from '../core/money.ts';
import { accountAt } from './accounts.ts';
import type { AdminCaller } from './caller.ts';
import { type Endpoint, writing } from './endpoint.ts';
import { balanceDocument, balanceReply } from './money.ts';
import { moneySchema } from './wire.ts';

const redeemedSchema = z.strictObject({
  id: z.string().describe('The reference of the movement in your ledger.'),
  amount: moneySchema.describe('What it brought.'),
  kind: z.enum(['top_up', 'grant']),
  balance: balanceReply.schema.describe('What you have now.'),
});

/** How an account's owner gets what a code is worth. */
export function redemptionEndpoint(ownAccount: (caller: AdminCaller) => AccountId): Endpoint {
  return writing({
    method: 'POST',
    path: '/account/v1/redemptions',
    operationId: 'redeemCode',
    summary: 'Redeem a code: what it is worth is booked to your account, once.',
    access: 'account',
    isGuess: true,
    body: {
      name: 'Redemption',
      schema: z.strictObject({
        code: z.string().min(1).max(100).describe('As it was given to you; case, spaces and dashes do not matter.'),
      }),
    },
    reply: { name: 'Redeemed', schema: redeemedSchema, inside: [balanceReply] },
    run: async ({ parts, caller, body, address }) => {
      const account = await accountAt(parts, ownAccount(caller));
      const site = parts.current().catalog.siteFor(address.host);
      const before = await balanceDocument(parts, account.id);
      const { id, amount, kind } = await redeemCode(parts, { code: body.code, account, site, by: caller.actor });
      const balance = await balanceDocument(parts, account.id);
      const after = { ...balance, redeemed: { id, amount: decimalText(amount), kind } };
      return {
        reply: { id, amount: decimalText(amount), kind, balance },
        change: { kind: 'balance', id: account.id, before, after },
      };
    },
  });
}
