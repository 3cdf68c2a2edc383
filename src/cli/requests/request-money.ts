import colors from 'picocolors';
import type { RequestDetail } from '../../admin/requests/request-detail.ts';
import {
  factorPlaces,
  picoPlaces,
  placesPerMillion,
  placesPerThousand,
} from '../../admin/requests/request-detail-documents.ts';
import type { CostLine } from '../../billing/ledger/cost-lines.ts';
import { decimalText, unitsText } from '../../core/money.ts';
import { factorOne } from '../../core/price.ts';
import { unitNamed } from '../../core/chat/pass-through-endpoint.ts';
import { type Cell, table } from '../output.ts';
import { momentText } from '../time-text.ts';

/** Renders the cost of a request: tokens times price for each kind, and the total. */
export function costTable({ costLines, toolLines, factor = factorOne, cost = 0n }: RequestDetail): string {
  const tokens = costLines.map((line) => ({
    label: kindNames[line.kind],
    count: line.tokens,
    price: unitsText(line.perToken, placesPerMillion + line.extraPlaces),
    amount: line.tokens * line.perToken,
    places: picoPlaces + line.extraPlaces,
  }));
  const tools = toolLines.map(({ tool, uses, perUse }) => ({
    label: unitNamed(tool) === undefined ? `${tool}, uses` : `${unitNamed(tool)}s`,
    count: uses,
    price: `${unitsText(perUse, placesPerThousand)} / 1000`,
    amount: uses * perUse,
    places: picoPlaces,
  }));
  const used = [...tokens, ...tools].filter(({ count }) => count > 0n);
  const [scale, whole] = [exactScale(used), 10n ** BigInt(picoPlaces - nanoPlaces) * factorOne];
  const sum = used.reduce((all, { amount, places }) => all + amount * 10n ** BigInt(scale - places), 0n);
  const isRounded = cost * whole * 10n ** BigInt(scale - picoPlaces) !== sum * factor;
  const total = { text: right(decimalText(cost)), paint: colors.bold };
  const rows: Cell[][] = used.map(({ label, count, price, amount, places }) => [
    label,
    right(String(count)),
    right(price),
    right(unitsText(amount, places)),
  ]);
  if (factor !== factorOne) rows.push(['factor of the package', '', '', right(`× ${unitsText(factor, factorPlaces)}`)]);
  rows.push([isRounded ? 'total, rounded up' : 'total', '', '', total]);
  return table(['tokens', right('count'), right('per million'), right('amount')], rows);
}

/** The most decimal places of any line. */
function exactScale(lines: readonly { readonly places: number }[]): number {
  return Math.max(picoPlaces, ...lines.map(({ places }) => places));
}

const nanoPlaces = 9;

/** Renders the ledger entries of a request. */
export function ledgerTable({ ledger }: RequestDetail, now: number): string {
  const rows = ledger.map(({ at, kind, amount, by, reason }): Cell[] => [
    momentText(at, now),
    kind,
    right(decimalText(amount)),
    by,
    reason,
  ]);
  return table(['time', 'kind', right('amount'), 'by', 'reason'], rows, reasonMax);
}

const reasonMax = 200;

const kindNames: Readonly<Record<CostLine['kind'], string>> = {
  input: 'input',
  input_audio: 'input, audio',
  input_image: 'input, images',
  cached_input: 'input from cache',
  cache_write_5m: 'cache write, 5 min',
  cache_write_1h: 'cache write, 1 h',
  output: 'output',
  reasoning: 'output, reasoning',
  output_audio: 'output, audio',
};

function right(text: string): string {
  return text.padStart(14);
}
