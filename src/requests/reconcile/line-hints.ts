import type { ComparedLine } from './compared-line.ts';
import type { UsageKey } from './own-usage.ts';

/**
 * A pattern of a difference that no single request shows. `doubled`: the invoice has exactly twice the usage.
 * `moved`: another line has exactly the opposite difference, so the provider counted the usage there.
 */
export type LineHint = { readonly hint: 'doubled' } | { readonly hint: 'moved'; readonly to: UsageKey };

/** The most lines that one hint names: equal differences of many lines say nothing. */
const movedMax = 3;

/** The hints of each line with a difference. */
export function lineHints(lines: readonly ComparedLine[]): ReadonlyMap<ComparedLine, readonly LineHint[]> {
  const different = lines.filter((line) => line.different.length > 0);
  const byDistance = Map.groupBy(different, (line) => distanceName(line, 1n));
  return new Map(
    different.map((line) => {
      const others = byDistance.get(distanceName(line, -1n)) ?? [];
      const moved = others.length > movedMax ? [] : others.map(({ key }) => ({ hint: 'moved', to: key }) as const);
      return [line, [...(isDoubled(line) ? [{ hint: 'doubled' } as const] : []), ...moved]];
    }),
  );
}

/** The tokens of a difference, or the cost if the invoice has no tokens: another model has another price. */
function distanceName({ difference }: ComparedLine, sign: bigint): string {
  const { input, cached, output, cost } = difference;
  const tokens = [input, cached, output];
  const figures = tokens.some((figure) => figure !== undefined) ? tokens : [cost];
  return figures.map((figure) => (figure === undefined ? '-' : String(BigInt(figure) * sign))).join(' ');
}

function isDoubled({ difference, own }: ComparedLine): boolean {
  const { input, output, cost } = difference;
  const tokens = [
    [input, own.input],
    [output, own.output],
  ] as const;
  const compared = tokens.some(([distance]) => distance !== undefined) ? tokens : [[cost, own.cost] as const];
  const known = compared.filter(([distance]) => distance !== undefined);
  return known.some(([, figure]) => BigInt(figure) > 0n) && known.every(([distance, figure]) => distance === figure);
}
