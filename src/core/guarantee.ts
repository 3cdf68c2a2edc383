/**
 * Who keeps a promise of the contract. `auto`: the provider where it is known to, the gateway otherwise. `provider`: the
 * provider, as far as it can. `gateway`: the gateway in any case. `off`: nobody sees to it.
 */
export type Keeper = 'auto' | 'provider' | 'gateway' | 'off';

/** Promises that are kept here where a provider does not. */
export interface Guarantees {
  readonly stop: Keeper;
}

/** For models that say nothing about it. */
export const usualGuarantees: Guarantees = { stop: 'auto' };
