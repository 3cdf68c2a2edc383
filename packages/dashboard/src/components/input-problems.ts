import type { Translate } from '../text/text.tsx';

const pattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** Checks a name before the gateway does. Returns the problem, or null. */
export function nameProblem(name: string, t: Translate): string | null {
  if (name.trim() === '') return t('common.required');
  return pattern.test(name.trim()) ? null : t('common.badName');
}

/** Checks an e-mail address roughly. The gateway checks it exactly. Returns the problem, or null. */
export function emailProblem(email: string, t: Translate): string | null {
  if (email.trim() === '') return t('common.required');
  return /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? null : t('signIn.emailWrong');
}

/** The gateway rejects shorter passwords. */
const passwordCharsMin = 10;

/** Checks a password that exists, or a new one. Returns the problem, or null. */
export function passwordProblem(password: string, t: Translate, isNew = false): string | null {
  if (password === '') return t('common.required');
  return isNew && password.length < passwordCharsMin ? t('signIn.passwordShort', { min: passwordCharsMin }) : null;
}

const decimal = /^-?\d{1,9}(\.\d{1,9})?$/;

/** Checks a typed amount before the gateway does. Returns the problem, or null. */
export function amountProblem(text: string, mayBeNegative: boolean, t: Translate): string | null {
  const amount = text.trim();
  if (!decimal.test(amount)) return t('accounts.badAmount');
  if (Number(amount) === 0) return t('accounts.zeroAmount');
  return Number(amount) < 0 && !mayBeNegative ? t('accounts.negativeAmount') : null;
}
