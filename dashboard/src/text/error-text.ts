import { errors } from '../strings/errors.ts';
import { brokenRules } from './broken-rules.ts';
import { fill } from './fill.ts';
import { type Language } from './language.ts';
import { useText } from './text.tsx';

/** An error as far as its words go. */
export interface Told {
  readonly code: string;
  readonly message: string;
}

type Known = keyof typeof errors;

/** Refusals that say more than their code: what of the gateway's words tells them apart. */
const details: readonly (readonly [RegExp, Known])[] = [
  [/ is taken |already taken|claims a name/, 'taken'],
  [/no mail server/, 'noMail'],
  [/configuration file/, 'ownedByFile'],
  [/ is needed by /, 'needed'],
  [/^This link was used/, 'deadLink'],
  [/current password is wrong/, 'wrongPassword'],
  [/^This code was used already, or is older/, 'usedCode'],
  [/passkey is not known/, 'unknownPasskey'],
  [/the last owner/, 'lastOwner'],
  [/^You are signed in/, 'ownReset'],
  [/invitations wait to be followed/, 'manyInvitations'],
  [/webhooks already/, 'manyWebhooks'],
  [/webhook is off/, 'webhookOff'],
  [/second factor is set up already/, 'secondFactorThere'],
  [/no second factor yet/, 'secondFactorMissing'],
  [/key is not valid any more/, 'keyEnded'],
  [/payment is over/, 'paymentOver'],
  [/^There are more than \d+ lines/, 'manyLines'],
  [/was used for another request/, 'usedForAnother'],
  [/cannot be used as it is/, 'unusable'],
  [/ keeps its /, 'keepsName'],
  [/send its credentials elsewhere/, 'credentialsElsewhere'],
  [/has passed/, 'past'],
  [/known here already/, 'known'],
];

/**
 * What went wrong, in the reader's language. The gateway speaks English, and the contract has one message begin in
 * Chinese: so English readers are told what it said but for that one, others what the code means.
 */
export function useErrorText(): (error: Told) => string {
  const { t, language } = useText();
  return (error) => (error.code === 'unreachable' ? t('common.unreachable') : errorText(error, language));
}

export function errorText({ code, message }: Told, language: Language): string {
  const isReadable = language === 'en' && code !== 'access_denied';
  if (isReadable) return message;
  const isDetailed = code === 'invalid_request' || code === 'sign_in_refused';
  const detail = isDetailed ? details.find(([words]) => words.test(message))?.[1] : undefined;
  const known = detail ?? (code in errors ? (code as Known) : undefined);
  if (known === undefined) return message;
  const text = fill(errors[known], language, {});
  if (known !== 'invalid_request') return text;
  // Which field breaks which rule is worth more than no word of it.
  return brokenRules(message) ?? `${text} (${message})`;
}
