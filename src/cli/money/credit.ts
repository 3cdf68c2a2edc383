import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { moneyEndpoints } from '../../admin/money/money.ts';
import { accountOf } from '../accounts/account-of.ts';
import { withAdmin } from '../admin-call.ts';
import { answer } from '../output.ts';

interface CreditOptions {
  readonly as: string;
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

async function credit(name: string, amount: string, options: CreditOptions, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const account = await accountOf(store, name);
    const { reason, reference = randomUUID() } = options;
    const kind = options.as === 'topup' ? 'top_up' : options.as;
    const request = { id: account.id, body: { kind, amount, reference, reason } };
    const credited = await call<CreditedBalance>(moneyEndpoints, 'creditAccount', request);
    const { is_new, total, granted, topped_up } = credited;
    answer(command, {
      json: { account: account.name, is_new, granted, topped_up, reference },
      text: () =>
        `${is_new ? 'Booked' : `Nothing booked: the reference ${reference} exists already`}. The balance of ${account.name} is ${total} (${granted} granted, ${topped_up} topped up).`,
    });
  });
}

interface CreditedBalance {
  readonly is_new: boolean;
  readonly total: string;
  readonly granted: string;
  readonly topped_up: string;
}
