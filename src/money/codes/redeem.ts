import type { Kysely } from 'kysely';
import { keyDigests, type SecretParts } from '../../platform/secrets/key-digest.ts';
import { credits } from '../billing/ledger/credits.ts';
import { moneyText } from '../billing/ledger/locked-accounts.ts';
import { assert } from 'chat-formats/assert.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Nano } from '../../core/money.ts';
import type { Database } from '../../platform/store/database.ts';
import { joined } from '../../platform/store/joined.ts';
import type { BatchTerms } from './code-batches.ts';
import { readCode } from './code-format.ts';
import { reason, type RefusalCode } from 'chat-formats/reasons/reason.ts';

export interface Redemption {
  readonly code: string;
  readonly account: {
    readonly id: string;
    readonly packageName: string;
    readonly status: 'active' | 'suspended';
  };
  readonly site: string | undefined;
  readonly by: string;
}

export interface RedeemedCredit {
  /** The id of the code, which is the reference of the movement. */
  readonly id: string;
  readonly amount: Nano;
  readonly kind: BatchTerms['kind'];
}

/**
 * Redeems a code at most once, even if several requests try. One transaction marks the code, if it is not marked yet,
 * and books the money under the code's id. Concurrent attempts, also at other gateways, wait for each other at the
 * mark. A refusal changes nothing.
 */
export async function redeemCode(
  { store, clock, pepper }: SecretParts,
  { code: typed, account, site, by }: Redemption,
): Promise<RedeemedCredit> {
  const code = readCode(typed);
  if (code === undefined) throw refusal('mistyped');
  if (account.status === 'suspended') throw refusal('suspended');
  const digests = keyDigests(pepper, code);
  return store.transaction(async (tx) => {
    const now = clock.now();
    // If the mark fails, the second read shows the faster redemption.
    for (let attempts = 0; attempts < 2; attempts += 1) {
      const row = await lookUp(tx, digests);
      const why = refusalOf(row, { account, site, now });
      if (!row || why) throw refusal(why ?? 'unknown');
      if (!(await mark(tx, row.id, { accountId: account.id, by, at: now }))) continue;
      const reason = `redemption code ${row.display}`;
      const credit = { accountId: account.id, amount: BigInt(row.amount), reference: row.id, by, reason };
      const order = credits(joined(store, tx), clock);
      const { isNew } = await (row.kind === 'grant' ? order.grant(credit) : order.topUp(credit));
      assert(isNew, 'a code that was not redeemed has no earlier credit');
      return { id: row.id, amount: credit.amount, kind: row.kind };
    }
    throw refusal('used');
  });
}

type CodeRow = NonNullable<Awaited<ReturnType<typeof lookUp>>>;

function lookUp(tx: Kysely<Database>, digests: readonly string[]) {
  return tx
    .selectFrom('redemption_codes as code')
    .innerJoin('code_batches as batch', 'batch.id', 'code.batch_id')
    .select(['code.id', 'code.display', 'code.redeemed_at', 'code.account_id', 'code.withdrawn_at'])
    .select(['batch.kind', 'batch.site', 'batch.package', 'batch.expires_at', moneyText('batch.amount').as('amount')])
    .where('code.digest', 'in', digests)
    .executeTakeFirst();
}

async function mark(
  tx: Kysely<Database>,
  id: string,
  { accountId, by, at }: { readonly accountId: string; readonly by: string; readonly at: number },
): Promise<boolean> {
  const marked = await tx
    .updateTable('redemption_codes')
    .set({ redeemed_at: at, account_id: accountId, redeemed_by: by })
    .where('id', '=', id)
    .where('redeemed_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst();
  return marked.numUpdatedRows === 1n;
}

/**
 * Returns `undefined` if the code may be redeemed. A redeemed code is reported as redeemed, even if it has also
 * expired.
 */
function refusalOf(
  row: CodeRow | undefined,
  { account, site, now }: Pick<Redemption, 'account' | 'site'> & { readonly now: number },
): RedeemRefusal | undefined {
  if (!row) return 'unknown';
  if (row.redeemed_at !== null) return row.account_id === account.id ? 'used_by_you' : 'used';
  if (row.withdrawn_at !== null) return 'withdrawn';
  if (row.expires_at !== null && row.expires_at <= now) return 'expired';
  if (row.site !== null && row.site !== site) return 'elsewhere';
  if (row.package !== null && row.package !== account.packageName) return 'other_package';
  return undefined;
}

type RedeemRefusal = RefusalCode extends infer Code
  ? Code extends `code_${infer Why}`
    ? Exclude<Why, 'batch_not_found'>
    : never
  : never;

function refusal(why: RedeemRefusal): GatewayError {
  return new GatewayError('code-refused', { code: `code_${why}`, reason: reason(`code_${why}`) });
}
