import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { leakyCounts, type LeakyCounts } from './leaky-counts.ts';
import type { ConsoleParts } from './parts.ts';
import { networkOf } from './known-locations.ts';
import { reason } from '../core/reasons/reason.ts';

/** Ends without a word, or throws what whoever asks is told. */
type CountEmail = (exchange: Pick<Exchange, 'address'>, email: string) => Promise<void>;

/** To one address: enough for letters that got lost, one more each hour. */
const byRecipient = { max: 5, drainMs: 3_600_000 };
/** From one network: enough for a class that signs up together, and no way to write to the whole world in our name. */
const byNetwork = { max: 30, drainMs: 120_000 };
/** How often others may have counted meanwhile. */
const triesMax = 5;

/**
 * Counts a letter that a stranger has sent to an address, and refuses what is too much. Who is known here and who is not is
 * counted alike: a refusal tells nobody.
 */
export function emailQuota({ store, clock }: Pick<ConsoleParts, 'store' | 'clock'>): CountEmail {
  const recipients = leakyCounts({ store, clock, realm: 'letters to', ...byRecipient });
  const networks = leakyCounts({ store, clock, realm: 'letters from', ...byNetwork });
  return async (exchange, email) => {
    await count(networks, networkOf(exchange.address), byNetwork.max);
    await count(recipients, email.toLowerCase(), byRecipient.max);
  };
}

async function count(counts: LeakyCounts, name: string, max: number): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const seen = await counts.read(name);
    if (seen.level >= max) break;
    if (await counts.add(name, seen)) return;
  }
  throw new GatewayError('overloaded', {
    reason: reason('too_many_emails'),
  });
}
