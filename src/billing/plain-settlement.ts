import type { Settlement } from './charging.ts';

/** A settlement as JSON: money is text. */
export interface PlainSettlement extends Omit<Settlement, 'cost' | 'held'> {
  readonly cost: string;
  readonly held: string;
}

export function plain(settlement: Settlement): PlainSettlement {
  return { ...settlement, cost: String(settlement.cost), held: String(settlement.held) };
}

export function exact(settlement: PlainSettlement): Settlement {
  return { ...settlement, cost: BigInt(settlement.cost), held: BigInt(settlement.held) };
}
