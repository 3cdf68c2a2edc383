import type { Credit, CreditKind, Ledger, LedgerLine } from '../src/admin/ledger-port.ts';

/** A ledger of a few lines that forgets everything: enough to see what the APIs ask of one. */
export function memoryLedger(): Ledger {
  const lines: (LedgerLine & { accountId: string })[] = [];
  const book =
    (kind: CreditKind) =>
    ({ accountId, ...credit }: Credit): Promise<{ isNew: boolean }> => {
      const isNew = !lines.some((line) => line.kind === kind && line.reference === credit.reference);
      if (isNew)
        lines.push({ id: String(lines.length + 1), at: 1000, kind, accountId, priceVersion: undefined, ...credit });
      return Promise.resolve({ isNew });
    };
  const sum = (accountId: string, isGrant: boolean) =>
    lines
      .filter((line) => line.accountId === accountId && (line.kind === 'grant') === isGrant)
      .reduce((total, { amount }) => total + amount, 0n);
  return {
    credit: { grant: book('grant'), top_up: book('top_up'), refund: book('refund'), adjust: book('adjust') },
    balanceOf: (accountId) =>
      Promise.resolve({ granted: sum(accountId, true), toppedUp: sum(accountId, false), reserved: 0n }),
    lines: ({ accountId, before, limit }) =>
      Promise.resolve(
        lines
          .filter((line) => line.accountId === accountId && (before === undefined || Number(line.id) < Number(before)))
          .reverse()
          .slice(0, limit),
      ),
  };
}
