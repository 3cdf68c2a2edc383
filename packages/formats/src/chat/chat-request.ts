import type { CacheLife, Message } from './message.ts';
import type { FieldPath } from '../invalid-request.ts';
import type { Model } from './model.ts';
import type { ServiceLevel } from '../price.ts';
import type { Spending } from '../spending.ts';

/** A chat request, independent of the wire format. */
export interface ChatRequest {
  /** The id or alias that the client sent. */
  readonly model: string;
  readonly messages: readonly Message[];
  /** The last of `messages`, if the gateway added them: the client's own body does not contain them. */
  readonly further?: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  /** Whether the model may call several tools at once; `undefined` means it may. */
  readonly parallelToolCalls: boolean | undefined;
  readonly maxTokens: number | undefined;
  /** The number of requested answers (`n`); 1 by default. */
  readonly choices: number;
  readonly stop: readonly string[];
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly answerFormat: AnswerFormat | undefined;
  readonly thinking: 'enabled' | 'disabled' | undefined;
  /** The reasoning budget in tokens, if the client sends a number instead of an effort. */
  readonly thinkingBudget: number | undefined;
  readonly effort: Effort | undefined;
  /** The effort of a reasoning model if the client sends none: `high`, unless the client is known to want more. */
  readonly defaultEffort?: Effort;
  readonly userId: string | undefined;
  readonly tags?: RequestTags | undefined;
  readonly logprobs: boolean;
  readonly topLogprobs: number | undefined;
  /** Whether the client sent `stream: true`. Clients that want one JSON body often omit the field. */
  readonly wantsStream: boolean;
  /** Tools that the provider runs itself, at their own price. */
  readonly providerTools: readonly ProviderTool[];
  /** Whether it has content whose tokens its bytes do not bound: a document, a video, or a file stored elsewhere. */
  readonly hasUnsizedContent: boolean;
  /** Fields with which the client selects a price at the provider; `undefined` for most requests. */
  readonly priceOptions?: PriceOptions | undefined;
  /** What else the request can make a provider spend; `undefined` for most requests. */
  readonly spending?: Spending | undefined;
  /** The other models that it names. Set when the request is adapted to its model. */
  readonly named?: readonly NamedModel[] | undefined;
  /** The client's body, so that a provider of the same format also gets unlisted fields, in the client's key order. */
  readonly wire: Wire;
}

/** Labels of the client, by which usage is grouped and requests are found. */
export interface RequestTags {
  readonly list: readonly string[];
  /** Whether tags were left out or shortened. */
  readonly isCut: boolean;
}

/** Fields with which a client selects a price: a tier, a speed or a region. */
export interface PriceOptions {
  readonly requested: ServiceLevel;
  /** The names of all such fields and headers. Of a request adapted to a model: of those that are not forwarded. */
  readonly fields: readonly string[];
  /** The part of the level that the model has a price for. Set when the request is adapted to it. */
  readonly level?: ServiceLevel;
}

/** Another model that a request names, which the caller may use at the same providers. */
export interface NamedModel {
  /** The field that names it. */
  readonly path: FieldPath;
  readonly model: Model;
  /** How often a provider may call it for one answer. */
  readonly uses: number;
  /** The cap on its output, if the request has one of its own for it. */
  readonly maxTokens: number | undefined;
  /** Whether it draws: then a call reads and writes one image, and not the conversation. */
  readonly draws: boolean;
}

/** The client's own body, parsed but otherwise untouched. */
export interface Wire {
  readonly format: WireFormat;
  readonly body: Readonly<Record<string, unknown>>;
  /** Size of the body as it arrived: an upper bound for prompt tokens. */
  readonly bytes: number;
  /** The body as text, if a provider of the same format gets it byte for byte. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type WireFormat = 'chat-completions' | 'completions' | 'messages' | 'responses';

/** Whether a request must be re-encoded for a provider of the chat-completions format. */
export function isOfOtherFormat({ wire }: Pick<ChatRequest, 'wire'>): boolean {
  return wire.format === 'messages' || wire.format === 'responses';
}

export type Effort = 'high' | 'max';

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: Readonly<Record<string, unknown>> | undefined;
  readonly strict?: boolean | undefined;
  readonly cache?: CacheLife | undefined;
}

/** A tool that the provider runs itself while it answers, such as a web search. */
export interface ProviderTool {
  /** The name in the price list, such as `web_search`. */
  readonly name: string;
  /** How often it may be used for one answer, if the client limits it. */
  readonly usesMax: number | undefined;
  /** The field of the client's request that requests it. */
  readonly field: string;
  /** Set if the request is served without the tool when the model has no price for it. */
  readonly isOptional?: true;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

/** The required form of the answer's text: any JSON, or JSON of a schema. */
export type AnswerFormat =
  | 'json'
  | {
      readonly name: string | undefined;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly strict: boolean | undefined;
    };
