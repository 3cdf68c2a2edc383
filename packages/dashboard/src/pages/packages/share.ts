import type { Resource } from '../../api/resource.ts';
import type { NewPackage } from '../../api/wire.ts';
import type { Translate } from '../../text/text.tsx';

export type PackageEntry = Resource<NewPackage>;

export function weightOf({ spec }: PackageEntry): number {
  return spec.weight ?? 1;
}

/** Describes a package's weight relative to the smallest one. */
export function shareInWords(entry: PackageEntry, all: readonly PackageEntry[], t: Translate): string {
  const smallest = all.reduce((least, each) => (weightOf(each) < weightOf(least) ? each : least), entry);
  if (all.every((each) => weightOf(each) === weightOf(entry))) return t('packages.onlyOne');
  if (weightOf(smallest) === weightOf(entry)) return t('packages.smallest');
  const times = Number((weightOf(entry) / weightOf(smallest)).toFixed(1));
  return t('packages.times', { times, other: smallest.name });
}

/** Two weights as a ratio of the smallest whole numbers. */
export function weightRatio(own: number, their: number): readonly [own: number, their: number] {
  const divisor = greatestDivisor(own, their);
  return [own / divisor, their / divisor];
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
