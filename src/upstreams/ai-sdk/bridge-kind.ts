import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { UpstreamSpec } from '../../config/upstream.ts';
import type { CacheLife, MediaPart } from '../../core/message.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { ThinkingWish } from './thinking-wish.ts';

/** All that sets one kind of bridged provider apart from the others. */
export interface BridgeKind {
  /** The name under which its package takes options and gives details. */
  readonly namespace: string;
  /** Loads the package, which is large and therefore loaded only for a configured upstream. */
  load(spec: UpstreamSpec): Promise<ModelFactory>;
  /** What its answers are written in; an event stream if left out. */
  readonly contentType?: string;
  /** System prompts stand before the conversation as blocks; otherwise they are turns of it. */
  readonly hasSystemBlocks: boolean;
  readonly media: MediaRules;
  /** Where the package wants the proof of a thought back; without one, thoughts have no proof here. */
  readonly proofField?: 'signature' | 'thoughtSignature';
  /** Whether thoughts go back to the model: those with a proof, all, or none. */
  readonly replaysReasoning: 'signed' | 'all' | 'none';
  /** Whether a result can say that its tool failed, other than in words. */
  readonly tellsFailures: boolean;
  /** An id of a call in the letters the provider takes; the same for the call and its result. */
  toolId?(id: string): string;
  /** How a place in the prompt is marked for the provider's cache; a mark is a hint and elsewhere goes nowhere. */
  cacheMark?(life: CacheLife): SharedV4ProviderOptions;
  /** What only this provider must be told, beyond what all of them take alike. */
  settings(call: UpstreamCall, wish: ThinkingWish, maxTokens: number | undefined): KindSettings;
  /** Fields of a request this provider has no word for. */
  inexpressible(call: UpstreamCall): readonly string[];
  /** The most it takes. */
  readonly temperatureMax: number;
  /** How many stop sequences it takes and keeps to; not known if not said. */
  readonly stopMax?: number;
  /** Whether no answer of it goes on past `max_tokens`; not known if not said. */
  readonly maxTokens?: boolean;
  /** Reads what the package leaves out of its stream. */
  readRaw?(value: unknown): readonly StreamEvent[];
  /** Puts into a body what the package leaves out of it. */
  mendBody?(body: string, prompt: LanguageModelV4CallOptions['prompt']): string;
}

/** Makes the model of one call. */
export type ModelFactory = (call: ModelCall) => LanguageModelV4;

export interface ModelCall {
  readonly model: string;
  /** The next of the upstream's keys; `undefined` when it has none. */
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

export type KindSettings = Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens' | 'providerOptions'>;

/** Which media a provider takes. A picture or document at an address is fetched by the provider, never by the gateway. */
export interface MediaRules {
  /** What may be at an address. */
  readonly addresses: readonly MediaPart['type'][];
  /** Whether documents may be more than text. */
  readonly pdf: boolean;
  /** Documents of plain text: as files, or as words among the others. */
  readonly textDocument: 'file' | 'words';
  /** Media types of sound, all of them or none. */
  readonly audio: RegExp | undefined;
  /** Where pictures and documents of a tool's result go: into it, after it in a user's turn, or nowhere. */
  readonly ofTools: 'inside' | 'after' | 'none';
}
