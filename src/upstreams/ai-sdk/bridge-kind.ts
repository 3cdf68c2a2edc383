import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { UpstreamSpec } from '../../config/schema/upstream.ts';
import type { CacheLife, MediaPart } from '../../core/chat/message.ts';
import type { StreamEvent } from '../../core/chat/stream-event.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { ThinkingRequest } from './thinking-request.ts';

export interface BridgeKind {
  /** The key of the package's provider options and metadata. */
  readonly namespace: string;
  /** Loads the package. It is large, so it is loaded only for a configured upstream. */
  load(spec: UpstreamSpec): Promise<ModelFactory>;
  /** The content type of its answers. An event stream if left out. */
  readonly contentType?: string;
  /** Whether system prompts are blocks before the conversation. Otherwise they are turns of it. */
  readonly hasSystemBlocks: boolean;
  readonly media: MediaRules;
  /** The field of the package for the signature of reasoning. Without it, reasoning has no signature here. */
  readonly proofField?: 'signature' | 'thoughtSignature';
  readonly replaysReasoning: 'signed' | 'all' | 'none';
  /** Whether a tool result has a separate form for failures. If not, its text says so. */
  readonly hasErrorResults: boolean;
  /** Maps the id of a call to characters that the provider accepts. The call and its result get the same id. */
  toolId?(id: string): string;
  /** Returns the cache marker for a position in the prompt. Kinds without markers ignore this hint. */
  cacheMark?(life: CacheLife): SharedV4ProviderOptions;
  settings(call: UpstreamCall, thinking: ThinkingRequest, maxTokens: number | undefined): KindSettings;
  inexpressible(call: UpstreamCall): readonly string[];
  readonly temperatureMax: number;
  /** The number of stop sequences that it accepts and enforces. Unknown if left out. */
  readonly stopMax?: number;
  /** Whether it enforces `max_tokens`. Unknown if left out. */
  readonly maxTokens?: boolean;
  readRaw?(value: unknown): readonly StreamEvent[];
  /** Adds to a request body what the package leaves out. */
  rewriteBody?(body: string, prompt: LanguageModelV4CallOptions['prompt']): string;
}

type ModelFactory = (call: ModelCall) => LanguageModelV4;

interface ModelCall {
  readonly model: string;
  /** The chosen key of the upstream, or `undefined` if it has none. */
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

export type KindSettings = Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens' | 'providerOptions'>;

/** The media that a provider accepts. The provider fetches a picture or document at an address, never the gateway. */
export interface MediaRules {
  readonly addresses: readonly MediaPart['type'][];
  readonly pdf: boolean;
  /** How text documents are sent: as files, or as text of the message. */
  readonly textDocument: 'file' | 'words';
  /** The accepted audio types. None if undefined. */
  readonly audio: RegExp | undefined;
  /** Where pictures and documents of a tool result go: inside it, after it in a user turn, or they are refused. */
  readonly ofTools: 'inside' | 'after' | 'none';
}
