import { cases } from '../strings/cases.ts';
import type { Translate } from '../text/text.tsx';

/** What went wrong, in a few words; a case that this page does not know goes by its name. */
export function caseName(errorCase: string, t: Translate): string {
  return errorCase in cases ? t(`cases.${errorCase as keyof typeof cases}`) : errorCase;
}
