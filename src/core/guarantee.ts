/**
 * Who keeps a promise of the contract. `auto`: the provider where it is known to, the gateway otherwise. `provider`: the
 * provider, as far as it can. `gateway`: the gateway in any case. `off`: nobody sees to it.
 */
export type Keeper = 'auto' | 'provider' | 'gateway' | 'off';

/** Promises that are kept here where a provider does not. */
export interface Guarantees {
  readonly stop: Keeper;
  readonly maxTokens: Keeper;
  readonly strict: Keeper;
  readonly toolChoice: Keeper;
  readonly json: Keeper;
}

/** For models that say nothing about it. */
export const usualGuarantees: Guarantees = {
  stop: 'auto',
  maxTokens: 'auto',
  strict: 'auto',
  toolChoice: 'auto',
  json: 'auto',
};

/** What a provider is known to keep by itself. */
export interface ProviderConstraints {
  /** How many stop sequences it takes and keeps to; not known if not said. */
  readonly stopMax?: number | undefined;
  /** Whether no answer of it goes on past `max_tokens`, thoughts included. */
  readonly maxTokens?: boolean | undefined;
  readonly strict?: boolean | undefined;
  readonly toolChoice?: boolean | undefined;
  /** JSON objects, or also JSON of a strict schema. */
  readonly json?: 'object' | 'schema' | undefined;
}

/** How a model is asked again that broke a promise. */
export interface AskingAgain {
  /** How often at the most. */
  readonly attempts: number;
  /** Who pays for the answers that were thrown away. */
  readonly paidBy: 'account' | 'gateway';
}

/** For models that say nothing about it. */
export const usualAskingAgain: AskingAgain = { attempts: 2, paidBy: 'account' };

/** Promises of the contract that a model may break, by the names they are counted under. */
export type ConstraintName = 'stop' | 'max_tokens' | 'strict' | 'tool_choice' | 'json';

/**
 * What became of a promise in one answer of a model. `kept`: by the model itself. `mended`: by what the gateway changed.
 * `asked_again`: the answer was thrown away, and the model asked once more. `missed`: nothing helped, and the client was told.
 */
export type ConstraintOutcome = 'kept' | 'mended' | 'asked_again' | 'missed';

/** Hears once for each answer, and each promise the gateway watches over in it, what became of that promise. */
export type ReportConstraint = (promise: ConstraintName, outcome: ConstraintOutcome) => void;
