import type { RepromptSettings, Guarantees } from './guarantee.ts';
import type { PassThroughEndpoint } from './pass-through-endpoint.ts';
import type { Price } from '../price.ts';

/** A catalog entry. */
export interface Model {
  readonly id: string;
  readonly aliases: readonly string[];
  /** Its strengths, for people who choose a model. */
  readonly description?: string | undefined;
  readonly ownedBy: string;
  /** Surfaces that accept the model, native one first, `openai` last. */
  readonly surfaces: readonly SurfaceTag[];
  /** Pass-through endpoints of the model; none by default. */
  readonly endpoints?: readonly PassThroughEndpoint[];
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly thinking: boolean;
  /** Whether another upstream may continue an answer that broke off, from the text so far. */
  readonly continue: 'never' | 'prefill';
  /** The family of tool-call markup in the model's text; derived from the model's name by default. */
  readonly toolFormat?: string | undefined;
  /** Whether the prompt opens the reasoning block; the family's default if undefined. */
  readonly thinksFirst?: boolean | undefined;
  /** Whether invalid tool-call arguments are repaired if the repair is certain. */
  readonly repairArguments?: boolean;
  /** The party that enforces each constraint. */
  readonly guarantees?: Guarantees;
  /** How it is re-prompted after a violation. */
  readonly tools?: RepromptSettings;
  /** Whether enforced JSON is forwarded as it arrives or when it is complete; `stream` by default. */
  readonly jsonDelivery?: 'stream' | 'whole';
  /** The treatment of fields that the provider's format lacks; `hints` by default. */
  readonly untranslatable?: Untranslatable;
  /** The treatment of fields that select a price which the model lacks; `strip` by default. */
  readonly pricedFields?: 'strip' | 'refuse';
  /** Fields that use rights of the operator's account at the provider, and that clients may send; none by default. */
  readonly allowedFields?: readonly string[];
  /** Whether prompt caches are used for clients that do not request it; off by default. */
  readonly cache?: PromptCache;
  /** Other models that may answer instead, in order; none by default. */
  readonly fallbacks?: readonly Fallback[];
  readonly routes: readonly ModelRoute[];
  readonly price: Price;
}

/** A model that is tried when this one fails. */
interface Fallback {
  /** Its id or alias. */
  readonly model: string;
  readonly on: readonly FallbackReason[];
}

/** The reasons to try another model, as in the configuration file. */
export const fallbackReasons = ['failure', 'context_overflow', 'refusal'] as const;
export type FallbackReason = (typeof fallbackReasons)[number];

/** `hints`: harmless fields are dropped, others rejected. `refuse`: hints are rejected too. `drop`: all are dropped. */
export type Untranslatable = 'hints' | 'refuse' | 'drop';

/** `auto`: the gateway marks prompts for caching and names the conversation. `off`: only as the client requests. */
export type PromptCache = 'auto' | 'off';

/** The short names of surfaces in `supported_endpoint_types`. */
export type SurfaceTag = 'openai' | 'anthropic' | 'openai-response';

/** One way to reach a model: an upstream, and the model's name there. A lower priority is tried first. */
export interface ModelRoute {
  readonly upstream: string;
  readonly model: string;
  readonly priority: number;
  readonly weight: number;
  /** The only credential that may serve the request. Set for one that continues what a provider stores under it. */
  readonly credential?: number | undefined;
  /** How many texts the provider embeds in one call of this model; the upstream's value by default. */
  readonly embeddingsMax?: number | undefined;
  /** The provider's price; unknown if undefined. */
  readonly cost?: Price | undefined;
}
