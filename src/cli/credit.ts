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

/** What `--as` may be, and the movement it orders. */
const kinds = { grant: 'grant', topup: 'topUp', refund: 'refund', adjust: 'adjust' } as const;

interface CreditOptions {
  readonly as: keyof typeof kinds;
  readonly reason: string;
  readonly reference?: string;
}

/** `accounts credit`: moves money of an account, with who and why. */
export function registerCredit(noun: Command): void {
  noun
    .command('credit')
    .argument('<account>', 'name or id')
    .argument('<amount>', 'decimal, such as 5.00; an adjustment may be negative: write it after --')
    .requiredOption('--reason <text>', 'why, for whoever reads the ledger')
    .option(
      '--as <kind>',
      'grant (a present), topup (paid in), refund (charged wrongly) or adjust (a correction)',
      'topup',
    )
    .option(
      '--reference <text>',
      'ordering the same again under one reference changes nothing, such as an invoice number',
    )
    .description('move money of an account')
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
        `${isNew ? 'Done' : `Nothing to do: ${order.reference} was booked before`}. ${account.name} has ${decimalText(granted + toppedUp)} (${decimalText(granted)} granted, ${decimalText(toppedUp)} topped up).`,
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
