import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import { leakyCounts, type LeakyCounts } from '../../../money/accounts/leaky-counts.ts';
import { libraryTime } from '../../../money/accounts/users.ts';
import type { ConsoleParts } from '../parts.ts';
import { networkOf } from './known-locations.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

/** Throws `overloaded` if the recipient or the network is over its quota. */
type CountEmail = (exchange: Pick<Exchange, 'address'>, email: string) => Promise<void>;

/** For each recipient: a few, in case e-mails get lost, and one more each hour. */
const byRecipient = { max: 5, drainMs: 3_600_000 };
/** For each network: enough for a class that signs up together, too few for spam in our name. */
const byNetwork = { max: 30, drainMs: 120_000 };
/** A count is read and written again if another request changed it meanwhile, up to this number of times. */
const triesMax = 20;

/**
 * Counts e-mails that clients request for an address. Known and unknown addresses count alike, so that a rejection does
 * not reveal whether an address has a user.
 */
export function emailQuota({ store, clock }: Pick<ConsoleParts, 'store' | 'clock'>): CountEmail {
  const recipients = leakyCounts({ store, clock, realm: 'emails to', ...byRecipient });
  const networks = leakyCounts({ store, clock, realm: 'emails from', ...byNetwork });
  return async (exchange, email) => {
    await count(networks, networkOf(exchange.address), byNetwork.max);
    await count(recipients, email.toLowerCase(), byRecipient.max);
  };
}

/** For each network: sign-ins without a name that begin. Each is a row until it expires. */
const beginnings = { max: 1000, drainMs: 500 };

/** Counts sign-ins that begin with a passkey or single sign-on. Throws `overloaded` if the network is over its quota. */
export function beginningQuota({ store, clock }: Pick<ConsoleParts, 'store' | 'clock'>) {
  const networks = leakyCounts({ store, clock, realm: 'sign-ins from', ...beginnings });
  return async ({ address }: Pick<Exchange, 'address'>): Promise<void> => {
    await count(networks, networkOf(address), beginnings.max, 'too_many_attempts');
    const expired = store.db.deleteFrom('console_verifications');
    await expired.where('expires_at', '<', libraryTime(store.db, clock.now())).execute();
  };
}

async function count(
  counts: LeakyCounts,
  name: string,
  max: number,
  why: 'too_many_emails' | 'too_many_attempts' = 'too_many_emails',
): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const seen = await counts.read(name);
    if (seen.level >= max) break;
    if (await counts.add(name, seen)) return;
  }
  throw new GatewayError('overloaded', { reason: reason(why) });
}
