import type { FixedTextKey, Translate } from '../text/text.tsx';

/** The kinds of ledger entries. */
export const lineKinds = [
  ...(['charge', 'charge-rest', 'top_up', 'grant', 'refund', 'adjust', 'reversal'] as const),
  ...(['opening-balance', 'opening-spend', 'opening-credit'] as const),
] as const;

/** The name of a kind of ledger entry. */
export function kindName(kind: string, t: Translate): string {
  const known = lineKinds.find((one) => one === kind);
  return known ? t(`billing.kind_${known}`) : kind;
}

/** Reasons that the gateway itself writes into the ledger. An operator typed all others, so they stay unchanged. */
const reasons: Readonly<Record<string, FixedTextKey>> = {
  request: 'billing.reason_request',
  'credit of a new account': 'billing.reason_first',
  'credit the account was made with': 'billing.reason_first',
  'the gateway died; charged up to its last checkpoint': 'billing.reason_crashed',
  'not all of it could be charged, for its money was set aside for others meanwhile': 'billing.reason_short',
  'paid by card or bank': 'billing.reason_paid',
  'automatic top-up': 'billing.reason_automatic',
  refunded: 'billing.reason_refunded',
  'disputed at the bank': 'billing.reason_disputed',
  'a dispute was won': 'billing.reason_won',
};

/** Translates the reason of a ledger entry, if the gateway wrote it. */
export function reasonText(reason: string, t: Translate): string {
  const whole = reasons[reason];
  if (whole) return t(whole);
  const code = /^redemption code (\S+)$/.exec(reason)?.[1];
  if (code !== undefined) return t('billing.reason_code', { code });
  const parts = reason.split('; ');
  return parts.every((part) => reasons[part]) ? parts.map((part) => reasonText(part, t)).join(' ') : reason;
}

/** Actors that are not people. */
const actors: Readonly<Record<string, FixedTextKey>> = {
  gateway: 'billing.by_gateway',
  recovery: 'billing.by_gateway',
  configuration: 'billing.by_configuration',
  payments: 'billing.by_payments',
};

export function actorText(by: string, t: Translate): string {
  const known = actors[by];
  return known ? t(known) : by;
}
