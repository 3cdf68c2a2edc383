import type { Exchange } from '../../http/exchange.ts';
import type { AuditOccasion } from './audit.ts';

/** Longer `user-agent` headers are truncated. */
export const deviceCharactersMax = 256;

/** The facts about a request that the audit log keeps. */
export function sentFrom(exchange: Exchange): Pick<AuditOccasion, 'requestId' | 'address' | 'device'> {
  const device = exchange.header('user-agent')?.slice(0, deviceCharactersMax);
  return { requestId: exchange.id, address: exchange.address, device };
}
