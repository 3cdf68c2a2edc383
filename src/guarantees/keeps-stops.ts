import type { ChatRequest } from '../core/chat-request.ts';
import { type Guarantees, usualGuarantees } from '../core/guarantee.ts';

/** Whether the gateway has to see to it that an answer ends at its stop sequences. */
export function keepsStops(
  { stop: sequences }: Pick<ChatRequest, 'stop'>,
  { stop: keeper }: Guarantees = usualGuarantees,
  /** How many the provider takes and keeps to; not known if not said. */
  stopMax: number | undefined,
): boolean {
  if (sequences.length === 0) return false;
  switch (keeper) {
    case 'auto':
      return stopMax === undefined || sequences.length > stopMax;
    case 'provider':
      return stopMax !== undefined && sequences.length > stopMax;
    case 'gateway':
      return true;
    case 'off':
      return false;
    default:
      return keeper satisfies never;
  }
}
