import type { Command } from 'commander';
import { answer, table } from './output.ts';

/** Maximum number of accounts in the list. */
export const accountsMax = 1000;

type ListedSum<Counted extends string> = Readonly<Record<Counted | 'bytes', number>>;

interface SumsList<Counted extends string> {
  /** Name of the counted things: the heading and the JSON field. */
  readonly counted: Counted;
  readonly sums: readonly (ListedSum<Counted> & { readonly accountId: string; readonly account: string })[];
  readonly total: ListedSum<Counted>;
  /** Text for an empty list. */
  readonly none: string;
}

/** Prints counts and sizes for each account, and the total. */
export function answerSums<Counted extends string>(
  command: Command,
  { counted, sums, total, none }: SumsList<Counted>,
): void {
  const figures = (sum: ListedSum<Counted>) => [String(sum[counted]), String(sum.bytes)];
  const rows = () => [...sums.map((sum) => [sum.account, ...figures(sum)]), ['all', ...figures(total)]];
  answer(command, {
    json: {
      ...total,
      accounts: sums.map(({ accountId, account, ...sum }) => ({ account_id: accountId, account, ...sum })),
    },
    text: () => (sums.length === 0 ? none : table(['account', counted, 'bytes'], rows())),
  });
}
