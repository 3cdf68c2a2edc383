import { errors } from '../strings/errors.ts';
import { batchRefusals } from './batch-refusals.ts';
import { brokenRules } from './broken-rules.ts';
import type { FieldLabels } from './field-labels.ts';
import { fill } from './fill.ts';
import type { Told } from './told.ts';

type Known = keyof typeof errors;

/** Refusals that say more than their code: what of the gateway's words tells them apart. */
const details: readonly (readonly [RegExp, Known])[] = [
  // First: of each model it says why, in the words of the others.
  [/^None of the models was added/, 'noneAdded'],
  [/ is taken |already taken|claims a name/, 'taken'],
  [/no mail server/, 'noMail'],
  [/^This gateway sends no letters/, 'noLetters'],
  [/bodies are not stored here/, 'noBodies'],
  [/configuration file/, 'ownedByFile'],
  [/ is needed by /, 'needed'],
  [/^This link was used/, 'deadLink'],
  [/^The (?:current )?password is wrong/, 'wrongPassword'],
  [/^This code was used already, or is older/, 'usedCode'],
  [/^The code is wrong or was used already/, 'codeWrong'],
  [/passkey is not known/, 'unknownPasskey'],
  [/passkey could not be verified/, 'passkeyUnverified'],
  [/^You signed in too long ago/, 'notFresh'],
  [/^`name` and `password` are missing/, 'nameAndPassword'],
  [/but not change it/, 'onlyLooking'],
  [/^Only owners of the account/, 'ownersOnly'],
  [/^This person (?:can reach more|may do more)/, 'reachesMore'],
  [/^You belong to no account/, 'noAccount'],
  [/^Nobody can sign up here/, 'invitedOnly'],
  [/^The invitation is for /, 'invitedOther'],
  [/^The Origin header/, 'otherPage'],
  [/takes no payments/, 'noPayments'],
  [/no single sign-on/, 'noSingleSignOn'],
  [/^The Idempotency-Key must/, 'badIdempotencyKey'],
  [/^There is no (?:such )?[\w ]+(?: `|\.)/, 'not_found'],
  [/the last owner/, 'lastOwner'],
  [/^You are signed in/, 'ownReset'],
  [/invitations wait to be followed/, 'manyInvitations'],
  [/webhooks already/, 'manyWebhooks'],
  [/webhook is off/, 'webhookOff'],
  [/second factor is set up already/, 'secondFactorThere'],
  [/no second factor yet/, 'secondFactorMissing'],
  [/key is not valid any more/, 'keyEnded'],
  [/payment is over/, 'paymentOver'],
  [/is more than was paid by payment/, 'refundTooLarge'],
  [/^There are more than \d+ lines/, 'manyLines'],
  [/was used for another request/, 'usedForAnother'],
  [/cannot be used as it is/, 'unusable'],
  [/ keeps its /, 'keepsName'],
  [/send its credentials elsewhere/, 'credentialsElsewhere'],
  [/has passed/, 'past'],
  [/known here already/, 'known'],
  [/^The balance of this account /, 'balanceTooLow'],
  [/^(?:This|What this) key may spend /, 'capTooLow'],
  [/^The API key was withdrawn/, 'keyWithdrawn'],
  [/^The account was suspended/, 'suspendedMidway'],
];

/** Codes of many meanings. */
const detailed: ReadonlySet<string> = new Set([
  'invalid_request',
  'sign_in_refused',
  'forbidden',
  'not_found',
  'not_signed_in',
  'insufficient_balance',
  'invalid_api_key',
]);

/** What a refusal means in Chinese, by its detail, by the rule it names or by its code; undefined where no words are known. */
export function chineseError({ code, message }: Told, labels: FieldLabels = {}): string | undefined {
  const detail = detailed.has(code) ? details.find(([words]) => words.test(message))?.[1] : undefined;
  // A body that cannot be read has no code of its own.
  const known = detail ?? (code === '' ? 'unparseable' : code in errors ? (code as Known) : undefined);
  if (known === undefined) return undefined;
  const text = fill(errors[known], 'zh', {});
  if (known === 'noneAdded') return text + eachModel({ code, message }, labels);
  if (known !== 'invalid_request') return text;
  // Which field breaks which rule is worth more than no word of it.
  return brokenRules(message, labels) ?? `${text} (${message})`;
}

function eachModel({ code, message }: Told, labels: FieldLabels): string {
  return batchRefusals(message)
    .map((refusal) => `${refusal.model}：${chineseError({ code, message: refusal.message }, labels)}`)
    .join('');
}
