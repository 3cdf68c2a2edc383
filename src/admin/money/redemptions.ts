import { z } from 'zod';
import { redeemCode } from '../../codes/redeem.ts';
import { decimalText } from '../../core/money.ts';
import { accountAt } from '../accounts/accounts.ts';
import { ownAccount } from '../api/caller.ts';
import { type Endpoint, writeEndpoint } from '../api/endpoint.ts';
import { balanceDocument, balanceReply } from './money.ts';
import { moneySchema } from '../api/wire.ts';

const redeemedSchema = z.strictObject({
  id: z.string().describe('Reference of its ledger entry.'),
  amount: moneySchema.describe('Value of the code.'),
  kind: z.enum(['top_up', 'grant']),
  balance: balanceReply.schema.describe('Your balance after the redemption.'),
});

/** Redeems a code for the owner of an account. */
export const redemptionEndpoint: Endpoint = writeEndpoint('POST /account/v1/redemptions', 'redeemCode', 'account', {
  summary: 'Redeem a code. Its value is added to your balance, once.',
  isGuess: true,
  body: {
    name: 'Redemption',
    schema: z.strictObject({
      code: z.string().min(1).max(100).describe('The code as you got it. Case, spaces and dashes are ignored.'),
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
