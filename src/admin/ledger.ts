import { balanceOf } from '../billing/balance.ts';
import { credits } from '../billing/credits.ts';
import { type LedgerLine as BookedLine, ledgerLines } from '../billing/ledger-lines.ts';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import type { Ledger, LedgerLine } from './ledger-port.ts';

/** The gateway's own ledger, in the words of these APIs. */
export function ledgerOf(store: Store, clock: Clock): Ledger {
  const { grant, topUp, refund, adjust } = credits(store, clock);
  return {
    credit: { grant, top_up: topUp, refund, adjust },
    balanceOf: (accountId) => balanceOf(store, accountId),
    async lines({ before, ...part }) {
      const lines = await ledgerLines(store, { ...part, ...(before && { before: placeOf(before) }) });
      return lines.map((line) => ({ ...line, id: idOf(line) }));
    },
  };
}

/** A line's place in the order of lines is what names it. */
function idOf({ at, kind, reference }: BookedLine): LedgerLine['id'] {
  return `${at}.${kind}.${reference}`;
}

function placeOf(id: string): Pick<BookedLine, 'at' | 'kind' | 'reference'> {
  const [at = '0', kind = '', ...reference] = id.split('.');
  return { at: Number(at), kind: kind as BookedLine['kind'], reference: reference.join('.') };
}
