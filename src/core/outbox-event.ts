/** An event that people or programs may subscribe to. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: EventKind;
  /** The account that it concerns; events without one are for operators only. */
  readonly accountId: string | undefined;
  readonly at: number;
  /** In the terms of the API: names, amounts as decimal text, never a secret. */
  readonly data: EventData;
}

export type EventData = Readonly<Record<string, string | number | null>>;

/** The kinds of events, and their audience: an account and operators, or operators only. */
export const eventKinds = {
  'balance.low': 'account',
  'balance.used_up': 'account',
  'credit.added': 'account',
  'top_up.paused': 'account',
  'key.created': 'account',
  'key.revoked': 'account',
  'key.cap_reached': 'account',
  'key.stores_bodies': 'account',
  'limit.threshold': 'account',
  'limit.reached': 'account',
  'webhook.switched_off': 'account',
  'batch.completed': 'account',
  'batch.failed': 'account',
  'batch.expired': 'account',
  'batch.cancelled': 'account',
  'request.completed': 'account',
  'upstream.down': 'operators',
  'upstream.up': 'operators',
  'credential.refused': 'operators',
  'charge.refused': 'operators',
} as const;

export type AlertKind = keyof typeof eventKinds;

/** `webhook.test` is sent when a person clicks a button, to that webhook endpoint only. */
export type EventKind = AlertKind | 'webhook.test';

/** Too frequent to be sent to an endpoint that does not name it. */
export const namedOnlyKind: AlertKind = 'request.completed';

export const alertKinds = Object.keys(eventKinds) as [AlertKind, ...AlertKind[]];

export const accountKinds = alertKinds.filter((kind) => eventKinds[kind] === 'account') as [AlertKind, ...AlertKind[]];
