import { cases } from '../strings/cases.ts';
import type { Translate } from '../text/text.tsx';

/** A short name of an error case. Returns the raw case if this dashboard has no text for it. */
export function caseName(errorCase: string, t: Translate): string {
  return errorCase in cases ? t(`cases.${errorCase as keyof typeof cases}`) : errorCase;
}
