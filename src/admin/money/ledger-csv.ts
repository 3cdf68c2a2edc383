import { decimalText } from '../../core/money.ts';
import { csvLine, escapeFormula } from '../api/csv.ts';
import { type OwnedLedgerLine, type LedgerPart, linesOf } from './ledger.ts';
import type { AdminParts } from '../parts.ts';
import { refused } from '../api/sent-values.ts';
import { isoTime } from '../api/wire.ts';
import { reason } from '../../core/reasons/reason.ts';

/** Fits into memory and a spreadsheet, and is quick to build. */
const linesMax = 50_000;
const linesPerRead = 5000;

const header = ['at', 'kind', 'amount', 'currency', 'reference', 'key_id', 'by', 'reason', 'price_version'];

/** RFC 4180 CSV, newest first. Throws instead of truncating: half a table looks like a whole one. */
export async function ledgerCsv(parts: AdminParts, filter: Omit<LedgerPart, 'before' | 'limit'>): Promise<string> {
  const currency = parts.currency();
  const rows = [header.join(',')];
  for (let before: string | undefined; ; ) {
    const lines = await linesOf(parts.store, { ...filter, before, limit: linesPerRead });
    for (const line of lines) rows.push(rowOf(line, currency));
    if (rows.length > linesMax) {
      throw refused(reason('too_many_lines', { max: linesMax }));
    }
    before = lines.at(-1)?.id;
    if (before === undefined || lines.length < linesPerRead) return `${rows.join('\r\n')}\r\n`;
  }
}

function rowOf(
  { at, kind, amount, reference, keyId, by, reason, priceVersion }: OwnedLedgerLine,
  currency: string,
): string {
  const texts = [reference, keyId ?? '', by, reason, priceVersion ?? ''].map(escapeFormula);
  return csvLine([isoTime(at), kind, decimalText(amount), currency, ...texts]);
}
