import type { CacheLife, Message } from './message.ts';

/** What a client asks of a model, in the words every layer shares. */
export interface ChatRequest {
  /** The id or alias as the client wrote it. */
  readonly model: string;
  readonly messages: readonly Message[];
  /** The last of them, where the gateway and not the client has added them: the client's own body does not have those. */
  readonly further?: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  /** Whether the model may call several tools at once; it may unless said. */
  readonly parallelToolCalls: boolean | undefined;
  readonly maxTokens: number | undefined;
  /** How many answers are asked for (`n`); 1 unless said. */
  readonly choices: number;
  readonly stop: readonly string[];
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly answerFormat: AnswerFormat | undefined;
  readonly thinking: 'enabled' | 'disabled' | undefined;
  /** Tokens the model may think with, where the client names a number instead of an effort. */
  readonly thinkingBudget: number | undefined;
  readonly effort: Effort | undefined;
  /** The effort of a thinking model where the client says none: `high`, unless the client is known to want more. */
  readonly defaultEffort?: Effort;
  readonly userId: string | undefined;
  readonly logprobs: boolean;
  readonly topLogprobs: number | undefined;
  /** Whether the client said `stream: true`; clients that want one JSON body leave it out as often as they say false. */
  readonly wantsStream: boolean;
  /** Tools that the provider runs itself, at a price of its own. */
  readonly providerTools: readonly ProviderTool[];
  /** Whether it holds something whose tokens its bytes do not bound: a document, a film, a file kept elsewhere. */
  readonly hasUnsizedContent: boolean;
  /** What the client sent, so that a provider of the same format gets unlisted fields too, in the client's key order. */
  readonly wire: Wire;
}

/** The client's own body, parsed but otherwise untouched. */
export interface Wire {
  readonly format: WireFormat;
  readonly body: Readonly<Record<string, unknown>>;
  /** Size of the body as it arrived: an upper bound for prompt tokens. */
  readonly bytes: number;
  /** The body as text, where a provider of the same format gets it byte for byte. */
  readonly text?: string;
  /** Headers that belong to the format and go up with it. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type WireFormat = 'chat-completions' | 'completions' | 'messages' | 'responses';

/** Whether a request has to be built anew for a provider of the chat-completions format. */
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
  /** What its price is listed under, such as `web_search`. */
  readonly name: string;
  /** How often it may be used for one answer, where the client says so. */
  readonly usesMax: number | undefined;
  /** Where the request asks for it, in the client's own words. */
  readonly field: string;
  /** Said where the request is served without it if the model's entry lists no price for it. */
  readonly isOptional?: true;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

/** What the answer's text must be: any JSON, or JSON of a schema. */
export type AnswerFormat =
  | 'json'
  | {
      readonly name: string | undefined;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly strict: boolean | undefined;
    };
