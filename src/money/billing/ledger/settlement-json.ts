import type { Settlement } from './charging.ts';

/** A settlement as JSON: money is text. */
export interface SettlementJson extends Omit<Settlement, 'cost' | 'held'> {
  readonly cost: string;
  readonly held: string;
}

export function encodeSettlement(settlement: Settlement): SettlementJson {
  return { ...settlement, cost: String(settlement.cost), held: String(settlement.held) };
}

export function decodeSettlement(settlement: SettlementJson): Settlement {
  return { ...settlement, cost: BigInt(settlement.cost), held: BigInt(settlement.held) };
}
