import type { Translate } from '../text/text.tsx';

const pattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** What is wrong with a name an operator gives, said before the gateway would. */
export function nameProblem(name: string, t: Translate): string | null {
  if (name.trim() === '') return t('common.required');
  return pattern.test(name.trim()) ? null : t('common.badName');
}
