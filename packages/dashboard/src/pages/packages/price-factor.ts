import type { PackageEntry } from './share.ts';

/** The number that multiplies the model prices for accounts of a package, as decimal text. */
export function factorOf({ spec }: PackageEntry): string {
  return spec.price_factor ?? '1';
}

/** Whether a factor changes nothing. */
export function isPlain(factor: string): boolean {
  return /^0*1(\.0*)?$/.test(factor.trim());
}
