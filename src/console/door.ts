import type { Guesses } from './guesses.ts';
import type { Identity } from './identity.ts';
import type { SecurityEvents } from './security-events.ts';

/** What every way in goes through: who people are, how often they may be wrong about it, and what is told of it. */
export interface Door {
  readonly people: Identity;
  readonly slowly: Guesses;
  readonly events: SecurityEvents;
}
