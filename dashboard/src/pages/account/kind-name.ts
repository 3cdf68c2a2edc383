import type { PlainKey, Translate } from '../../text/text.tsx';

const names: Readonly<Record<string, PlainKey>> = {
  grant: 'accounts.kindGrant',
  top_up: 'accounts.kindTopUp',
  refund: 'accounts.kindRefund',
  adjust: 'accounts.kindAdjust',
  reversal: 'billing.kind_reversal',
  charge: 'accounts.kindCharge',
  'charge-rest': 'accounts.kindChargeRest',
};

export const ledgerKinds: readonly string[] = Object.keys(names);

/** A kind of movement in words. */
export function kindName(kind: string, t: Translate): string {
  const key = names[kind];
  return key ? t(key) : kind;
}
