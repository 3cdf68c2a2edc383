import type { Hold, HoldName } from '../../../money/billing/wallet/hold.ts';
import type { Wallet } from '../../../money/billing/wallet.ts';
import type { Caller, KeyHolder } from '../../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { Nano } from '../../../core/money.ts';
import type { Deadline } from '../../../core/time/deadline.ts';
import type { RouterOptions } from '../../routing/router-parts.ts';

export interface MoneyParts {
  readonly wallet: Pick<Wallet, 'hold'>;
  readonly router: Pick<RouterOptions, 'queueLimit'>;
}

/** The part of a request that concerns its money. */
export interface Payer {
  readonly id: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly end: (error: Error) => void;
  readonly confirm?: ((deadline: Deadline) => Promise<KeyHolder>) | undefined;
}

export interface HoldRequest {
  readonly model: Model;
  /** The maximum cost of the request. */
  readonly amount: Nano;
  /** The memory that the request uses while it waits. */
  readonly bytes: number;
  /** On the clock's `elapsed` scale. */
  readonly deadlineMs: number;
  /** Throws if the key, as confirmed by the store, may not use the model. */
  readonly confirmed: (key: KeyHolder) => void;
}

/**
 * Holds money for a request after its key is confirmed. A wait for the store has the same deadline as a wait for a
 * slot, and counts toward the same queue limit.
 */
export function holdMoney({ wallet, router }: MoneyParts, payer: Payer, request: HoldRequest): Hold | Promise<Hold> {
  const { model, amount, bytes, deadlineMs, confirmed } = request;
  const deadline = { deadlineMs, signal: payer.signal };
  const { id, caller, confirm } = payer;
  // Use the key as confirmed by the store: it may have changed while the store was unreachable.
  const hold = (key: KeyHolder) => wallet.hold(holdName({ id, caller: { key } }, model), amount, deadline);
  const holdConfirmed = (key: KeyHolder) => {
    confirmed(key);
    return hold(key);
  };
  const held = confirm ? confirm(deadline).then(holdConfirmed) : hold(caller.key);
  return held instanceof Promise ? waitInQueue(held, payer, { queueLimit: router.queueLimit, bytes }) : held;
}

/** The account, key and price version of a hold. */
export function holdName(
  { id, caller }: { readonly id: string; readonly caller: Pick<Caller, 'key'> },
  { price }: Model,
): HoldName {
  const { accountId, keyId, limits } = caller.key;
  return { requestId: id, accountId, keyId, limits, priceVersion: price.version };
}

interface QueueAdmission {
  readonly queueLimit: RouterOptions['queueLimit'];
  readonly bytes: number;
}

async function waitInQueue(
  held: Promise<Hold>,
  { caller, end }: Payer,
  { queueLimit, bytes }: QueueAdmission,
): Promise<Hold> {
  const sendAway = (): void => end(new GatewayError('overloaded'));
  const queueEntry = queueLimit.enter({ accountId: caller.key.accountId, bytes, sendAway });
  if (!queueEntry) sendAway();
  try {
    return await held;
  } finally {
    if (queueEntry) queueLimit.leave(queueEntry);
  }
}
