import type { Exchange } from '../http/exchange.ts';
import type { AuditOccasion } from './audit.ts';

/** Clients call themselves what they like; that much of it is kept. */
export const deviceCharactersMax = 256;

/** What the audit log keeps of the request by which something was done. */
export function sentFrom(exchange: Exchange): Pick<AuditOccasion, 'requestId' | 'address' | 'device'> {
  const device = exchange.header('user-agent')?.slice(0, deviceCharactersMax);
  return { requestId: exchange.id, address: exchange.address, device };
}
