import type { Command } from 'commander';
import { answer, table } from './output.ts';

/** More accounts than anybody reads. */
export const accountsMax = 1000;

type ListedSum<Counted extends string> = Readonly<Record<Counted | 'bytes', number>>;

interface SumsList<Counted extends string> {
  /** What there is so much of. */
  readonly counted: Counted;
  readonly sums: readonly (ListedSum<Counted> & { readonly accountId: string; readonly account: string })[];
  readonly total: ListedSum<Counted>;
  /** What is said where there is nothing. */
  readonly none: string;
}

/** Prints how much of something is stored for each account, and for all together. */
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
