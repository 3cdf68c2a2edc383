import type { Webhook } from '../../api/wire.ts';
import type { PlainKey } from '../../text/text.tsx';

export type EventKind = NonNullable<Webhook['events']>[number];

/** Whose webhooks a page is about, and what they may be told. */
export interface Side {
  readonly path: '/account/v1' | '/admin/v1';
  readonly kinds: readonly EventKind[];
}

const ofAccounts: readonly EventKind[] = [
  'balance.low',
  'balance.used_up',
  'credit.added',
  'key.created',
  'key.revoked',
  'key.cap_reached',
  'webhook.switched_off',
];

export const ownSide: Side = { path: '/account/v1', kinds: ofAccounts };

export const operatorSide: Side = {
  path: '/admin/v1',
  kinds: ['upstream.down', 'upstream.up', 'credential.refused', ...ofAccounts],
};

/** What an event is called; one that this page does not know yet keeps its name. */
export function kindName(kind: string, t: (key: PlainKey) => string): string {
  const known = [...operatorSide.kinds, 'webhook.test' as const].find((each) => each === kind);
  return known ? t(`alerts.kind_${known}`) : kind;
}
