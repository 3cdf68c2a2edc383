import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { balanceOf } from '../billing/balance.ts';
import { credits } from '../billing/credits.ts';
import { systemClock } from '../core/clock.ts';
import { decimalText, type Nano, nanoFrom } from '../core/money.ts';
import { accountOf } from './account-of.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { documentOf } from './document.ts';
import { answer, CliError } from './output.ts';

/** Values of `--as`, and the method of `credits` that each calls. */
const kinds = { grant: 'grant', topup: 'topUp', refund: 'refund', adjust: 'adjust' } as const;

interface CreditOptions {
  readonly as: keyof typeof kinds;
  readonly reason: string;
  readonly reference?: string;
}

/** `accounts credit`: changes the balance of an account and records who did it and why. */
export function registerCredit(noun: Command): void {
  noun
    .command('credit')
    .argument('<account>', 'name or id')
    .argument('<amount>', 'amount, such as 5.00; an adjustment may be negative: write it after `--`')
    .requiredOption('--reason <text>', 'reason, shown in the ledger')
    .option(
      '--as <kind>',
      'grant (free credit), topup (paid), refund (of a wrong charge) or adjust (a correction)',
      'topup',
    )
    .option('--reference <text>', 'reference, such as an invoice number; booked only once for each kind of --as')
    .description('Credit an account, or correct its balance.')
    .action(credit);
}

async function credit(reference: string, amountText: string, options: CreditOptions, command: Command): Promise<void> {
  if (!(options.as in kinds)) {
    const choices = Object.keys(kinds).join(', ');
    throw new CliError('invalid_credit_kind', { value: options.as, kinds: choices }, { exitCode: 2 });
  }
  const amount = amountOf(amountText);
  await withStore(command, async (store) => {
    const account = await accountOf(store, reference);
    const order = {
      accountId: account.id,
      amount,
      reference: options.reference ?? randomUUID(),
      by: `cli:${userInfo().username}`,
      reason: options.reason,
    };
    const { isNew } = await audited(store, 'creditAccount', async (inside) => {
      const result = await credits(inside, systemClock)[kinds[options.as]](order);
      const after = { as: options.as, ...documentOf(order) };
      return { result, change: result.isNew ? { kind: 'account', id: account.id, after } : undefined };
    });
    const { granted, toppedUp } = await balanceOf(store, account.id);
    answer(command, {
      json: { ...documentOf({ account: account.name, isNew, granted, toppedUp }), reference: order.reference },
      text: () =>
        `${isNew ? 'Booked' : `Nothing booked: the reference ${order.reference} exists already`}. The balance of ${account.name} is ${decimalText(granted + toppedUp)} (${decimalText(granted)} granted, ${decimalText(toppedUp)} topped up).`,
    });
  });
}

function amountOf(text: string): Nano {
  try {
    return nanoFrom(text);
  } catch (cause) {
    throw new CliError('invalid_amount', { amount: text }, { exitCode: 2, cause });
  }
}
