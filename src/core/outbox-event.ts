/** Something that happened and that somebody may want to be told of. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: EventKind;
  /** Whose matter it is; what belongs to no account is for operators alone. */
  readonly accountId: string | undefined;
  readonly at: number;
  /** In the words of the API: names, figures as decimal text, never a secret. */
  readonly data: EventData;
}

export type EventData = Readonly<Record<string, string | number | null>>;

/** What can happen, and whom it concerns: an account and operators, or operators alone. */
export const eventKinds = {
  'balance.low': 'account',
  'balance.used_up': 'account',
  'credit.added': 'account',
  'key.created': 'account',
  'key.revoked': 'account',
  'key.cap_reached': 'account',
  'key.stores_bodies': 'account',
  'webhook.switched_off': 'account',
  'upstream.down': 'operators',
  'upstream.up': 'operators',
  'credential.refused': 'operators',
  'charge.refused': 'operators',
} as const;

export type AlertKind = keyof typeof eventKinds;

/** `webhook.test` is sent when somebody presses a button, to that one receiver. */
export type EventKind = AlertKind | 'webhook.test';

export const alertKinds = Object.keys(eventKinds) as [AlertKind, ...AlertKind[]];

/** Those an account may ask for. */
export const accountKinds = alertKinds.filter((kind) => eventKinds[kind] === 'account') as [AlertKind, ...AlertKind[]];
