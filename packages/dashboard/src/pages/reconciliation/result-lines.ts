import { nanoFrom } from 'chat-gateway-figures/money.ts';
import type { ReconciledLine, Reconciliation } from '../../api/wire.ts';
import { csvRecord } from '../../components/row-export.ts';

export const figureNames = ['input_tokens', 'cached_tokens', 'output_tokens', 'cost'] as const;
export type FigureName = (typeof figureNames)[number];

/** The figures that at least one line compares. */
export function comparedFigures({ lines }: Reconciliation): readonly FigureName[] {
  return figureNames.filter((name) => lines.some(({ difference }) => difference[name] !== null));
}

/** Differences first, the largest on top: by cost, then by tokens. */
export function sortedLines({ lines }: Reconciliation): readonly ReconciledLine[] {
  return lines.toSorted((one, other) => {
    const isDifferent = Number(other.different.length > 0) - Number(one.different.length > 0);
    if (isDifferent !== 0 || one.different.length === 0) return isDifferent;
    const cost = costSize(other) - costSize(one);
    return cost === 0n ? tokenSize(other) - tokenSize(one) : cost > 0n ? 1 : -1;
  });
}

function costSize({ difference: { cost } }: ReconciledLine): bigint {
  const size = nanoFrom(cost ?? '0');
  return size < 0n ? -size : size;
}

function tokenSize({ difference: { input_tokens: input, output_tokens: output } }: ReconciledLine): number {
  return Math.abs(input ?? 0) + Math.abs(output ?? 0);
}

/** A line of a table, named as people do. */
export function lineName({ day, model, credential }: ReconciledLine): string {
  return `${day} ${model}${credential === null ? '' : ` #${credential + 1}`}`;
}

/** Models of the file without any attempt of the gateway. */
export function foreignModels({ lines }: Reconciliation): readonly string[] {
  const known = new Set(ownModels({ lines }));
  return [...new Set(lines.map(({ model }) => model))].filter((model) => !known.has(model));
}

export function ownModels({ lines }: Pick<Reconciliation, 'lines'>): readonly string[] {
  return [...new Set(lines.filter(({ own }) => own.attempts > 0 || own.answers > 0).map(({ model }) => model))];
}

/** The result as CSV, one row for each line, with all digits. */
export function resultCsv(result: Reconciliation): string {
  const sides = ['invoice', 'gateway', 'difference'] as const;
  const head = [
    'day',
    'model',
    'credential',
    ...sides.flatMap((side) => figureNames.map((name) => `${side}_${name}`)),
    'charged',
    'currency',
    'different',
    'reasons',
    'requests',
  ];
  const rows = sortedLines(result).map((line) => [
    line.day,
    line.model,
    line.credential ?? '',
    ...[line.invoice, line.own, line.difference].flatMap((figures) => figureNames.map((name) => figures[name] ?? '')),
    line.charged,
    result.currency,
    line.different.join(' '),
    Object.entries(line.reasons)
      .map(([reason, count]) => `${reason} ${count}`)
      .join('; '),
    line.requests.map(({ id }) => id).join(' '),
  ]);
  return [head, ...rows].map(csvRecord).join('');
}
