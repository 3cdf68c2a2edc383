import type { Webhook } from '../../api/wire.ts';
import type { FixedTextKey } from '../../text/text.tsx';

export type EventKind = NonNullable<Webhook['events']>[number];

/** The API of a page with webhooks, and the events it can subscribe to. */
export interface WebhookScope {
  readonly path: '/account/v1' | '/admin/v1';
  readonly kinds: readonly EventKind[];
}

const ofAccounts: readonly EventKind[] = [
  'balance.low',
  'balance.used_up',
  'credit.added',
  'top_up.paused',
  'key.created',
  'key.revoked',
  'key.cap_reached',
  'key.stores_bodies',
  'limit.threshold',
  'limit.reached',
  'webhook.switched_off',
  'request.completed',
];

export const ownSide: WebhookScope = { path: '/account/v1', kinds: ofAccounts };

export const operatorSide: WebhookScope = {
  path: '/admin/v1',
  kinds: ['upstream.down', 'upstream.up', 'credential.refused', 'charge.refused', ...ofAccounts],
};

const names: Readonly<Record<EventKind | 'webhook.test', FixedTextKey>> = {
  'balance.low': 'alerts.kind_balance_low',
  'balance.used_up': 'alerts.kind_balance_used_up',
  'credit.added': 'alerts.kind_credit_added',
  'top_up.paused': 'alerts.kind_top_up_paused',
  'batch.completed': 'alerts.kind_batch_completed',
  'batch.failed': 'alerts.kind_batch_failed',
  'batch.expired': 'alerts.kind_batch_expired',
  'batch.cancelled': 'alerts.kind_batch_cancelled',
  'key.created': 'alerts.kind_key_created',
  'key.revoked': 'alerts.kind_key_revoked',
  'key.cap_reached': 'alerts.kind_key_cap_reached',
  'key.stores_bodies': 'alerts.kind_key_stores_bodies',
  'limit.threshold': 'alerts.kind_limit_threshold',
  'limit.reached': 'alerts.kind_limit_reached',
  'webhook.switched_off': 'alerts.kind_webhook_switched_off',
  'request.completed': 'alerts.kind_request_completed',
  'upstream.down': 'alerts.kind_upstream_down',
  'upstream.up': 'alerts.kind_upstream_up',
  'credential.refused': 'alerts.kind_credential_refused',
  'charge.refused': 'alerts.kind_charge_refused',
  'webhook.test': 'alerts.kind_webhook_test',
};

/** The name of an event kind. Returns the raw kind if this dashboard has no text for it. */
export function kindName(kind: string, t: (key: FixedTextKey) => string): string {
  return Object.hasOwn(names, kind) ? t(names[kind as keyof typeof names]) : kind;
}
