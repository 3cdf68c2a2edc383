import colors from 'picocolors';
import type { RequestStory } from '../admin/request-story.ts';
import { picoPlaces, placesPerMillion } from '../admin/story-documents.ts';
import type { CostLine } from '../billing/cost.ts';
import { decimalText, unitsText } from '../core/money.ts';
import { type Cell, table } from './output.ts';
import { momentText } from './time-text.ts';

/** How a request's cost comes about: tokens times price, a line for each kind, and what they sum up to. */
export function costTable({ costLines, cost = 0n }: RequestStory): string {
  const used = costLines.filter(({ tokens }) => tokens > 0n);
  const amounts = used.map(({ tokens, perToken }) => unitsText(tokens * perToken, picoPlaces));
  const sum = used.reduce((total, { tokens, perToken }) => total + tokens * perToken, 0n);
  const isRounded = cost * 1000n !== sum;
  const total = { text: right(decimalText(cost)), paint: colors.bold };
  const rows: Cell[][] = used.map(({ kind, tokens, perToken }, index) => [
    kindNames[kind],
    right(String(tokens)),
    right(unitsText(perToken, placesPerMillion)),
    right(amounts[index] ?? ''),
  ]);
  rows.push([isRounded ? 'sum, rounded up' : 'sum', '', '', total]);
  return table(['tokens', right('count'), right('per million'), right('amount')], rows);
}

/** Every movement of money under the request's id. */
export function ledgerTable({ ledger }: RequestStory, now: number): string {
  const rows = ledger.map(({ at, kind, amount, by, reason }): Cell[] => [
    momentText(at, now),
    kind,
    right(decimalText(amount)),
    by,
    reason,
  ]);
  return table(['when', 'kind', right('amount'), 'by', 'why'], rows, reasonMax);
}

const reasonMax = 200;

const kindNames: Readonly<Record<CostLine['kind'], string>> = {
  input: 'input',
  cached_input: 'input from cache',
  cache_write_5m: 'input kept for 5 min',
  cache_write_1h: 'input kept for 1 h',
  output: 'output',
};

function right(text: string): string {
  return text.padStart(14);
}
