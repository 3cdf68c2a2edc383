import type { Translate } from '../text/text.tsx';

const pattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** Checks a name before the gateway does. Returns the problem, or null. */
export function nameProblem(name: string, t: Translate): string | null {
  if (name.trim() === '') return t('common.required');
  return pattern.test(name.trim()) ? null : t('common.badName');
}
