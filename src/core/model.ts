import type { AskingAgain, Guarantees } from './guarantee.ts';
import type { PassThroughEndpoint } from './pass-through-endpoint.ts';
import type { Price } from './price.ts';

/** A catalog entry as the rest of the gateway sees it. */
export interface Model {
  readonly id: string;
  readonly aliases: readonly string[];
  /** What it is good at, for those who choose. */
  readonly description?: string | undefined;
  readonly ownedBy: string;
  /** Surfaces that accept the model, native one first, `openai` last. */
  readonly surfaces: readonly SurfaceTag[];
  /** Endpoints that pass a body on to it as it is; none if not said. */
  readonly endpoints?: readonly PassThroughEndpoint[];
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly thinking: boolean;
  /** Whether another upstream may go on with an answer that broke off, from what was said of it. */
  readonly continue: 'never' | 'prefill';
  /** The family whose markup the model leaves in its text; told by its name if not said. */
  readonly toolFormat?: string | undefined;
  /** Whether the prompt opens its reasoning; what its family does if not said. */
  readonly thinksFirst?: boolean | undefined;
  /** Whether arguments of its tool calls are mended where it is certain how. */
  readonly repairArguments?: boolean;
  /** Who keeps the promises that a provider may not keep. */
  readonly guarantees?: Guarantees;
  /** How it is asked again where it broke one. */
  readonly tools?: AskingAgain;
  /** Whether JSON that is kept here is passed on as it comes or when it is whole; as it comes if not said. */
  readonly jsonDelivery?: 'stream' | 'whole';
  /** What becomes of fields its provider's format has no word for; hints are left out unless said. */
  readonly untranslatable?: Untranslatable;
  /** Whether prompt caches are used for clients that do not ask for it; they are not unless said. */
  readonly cache?: PromptCache;
  /** Other models that may answer in its place, in order; none if not said. */
  readonly fallbacks?: readonly Fallback[];
  readonly routes: readonly ModelRoute[];
  readonly price: Price;
}

/** Another model that is asked where this one came to nothing. */
interface Fallback {
  /** Its id or alias. */
  readonly model: string;
  readonly on: readonly FallbackReason[];
}

/** Why another model may be asked: the words of the configuration file. */
export const fallbackReasons = ['failure', 'context_overflow', 'refusal'] as const;
export type FallbackReason = (typeof fallbackReasons)[number];

/**
 * `hints`: what cannot change the meaning of a request is left out, the rest refused. `refuse`: hints are refused too.
 * `drop`: everything is left out.
 */
export type Untranslatable = 'hints' | 'refuse' | 'drop';

/** `auto`: providers are told what is worth keeping, and which conversation a request belongs to. `off`: as the client asks. */
export type PromptCache = 'auto' | 'off';

/** The short names the catalog uses for surfaces in `supported_endpoint_types`. */
export type SurfaceTag = 'openai' | 'anthropic' | 'openai-response';

/** One way to reach a model: which upstream, under which name there. Lower priority is tried first. */
export interface ModelRoute {
  readonly upstream: string;
  readonly model: string;
  readonly priority: number;
  readonly weight: number;
  /** How many texts the provider embeds in one call of this model; as its upstream says if not said. */
  readonly embeddingsMax?: number | undefined;
  /** What its provider charges us; not known if not said. */
  readonly cost?: Price | undefined;
}
