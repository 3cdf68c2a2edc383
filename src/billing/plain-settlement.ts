import type { Settlement } from './charging.ts';

/** A settlement that JSON can hold: money is text there. */
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
