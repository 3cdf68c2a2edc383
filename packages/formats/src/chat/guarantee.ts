/**
 * The party that enforces a constraint of the contract. `auto`: the provider if it is known to, otherwise the gateway.
 * `provider`: the provider, as far as it can. `gateway`: always the gateway. `off`: it is not enforced.
 */
export type Enforcer = 'auto' | 'provider' | 'gateway' | 'off';

/** Constraints that the gateway enforces if a provider does not. */
export interface Guarantees {
  readonly stop: Enforcer;
  readonly maxTokens: Enforcer;
  readonly strict: Enforcer;
  readonly toolChoice: Enforcer;
  readonly json: Enforcer;
}

/** The default for models without this setting. */
export const defaultGuarantees: Guarantees = {
  stop: 'auto',
  maxTokens: 'auto',
  strict: 'auto',
  toolChoice: 'auto',
  json: 'auto',
};

export interface ProviderConstraints {
  /** How many stop sequences it accepts and obeys; unknown if undefined. */
  readonly stopMax?: number | undefined;
  /** Whether its answers never exceed `max_tokens`, reasoning included. */
  readonly maxTokens?: boolean | undefined;
  readonly strict?: boolean | undefined;
  readonly toolChoice?: boolean | undefined;
  /** Whether it enforces JSON objects, or also JSON of a strict schema. */
  readonly json?: 'object' | 'schema' | undefined;
}

/** How a model is re-prompted after a violation. */
export interface RepromptSettings {
  readonly attempts: number;
  /** The payer of the discarded answers. */
  readonly paidBy: 'account' | 'gateway';
}

/** The default for models without this setting. */
export const defaultRepromptSettings: RepromptSettings = { attempts: 2, paidBy: 'account' };

/** Constraints that a model may violate, by their names in the metrics. */
export type ConstraintName = 'stop' | 'max_tokens' | 'strict' | 'tool_choice' | 'json';

/**
 * The outcome of a constraint in one answer. `met`: the model obeyed it. `repaired`: the gateway repaired the answer.
 * `reprompted`: the gateway discarded the answer and re-prompted the model. `violated`: the violation remained, and the
 * client got an error.
 */
export type ConstraintOutcome = 'met' | 'repaired' | 'reprompted' | 'violated';

/** Called once per answer and enforced constraint, with the outcome. */
export type ReportConstraint = (constraint: ConstraintName, outcome: ConstraintOutcome) => void;
