/** What a client asks of a model, in the words every layer shares. */
export interface ChatRequest {
  /** The id or alias as the client wrote it. */
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  readonly maxTokens: number | undefined;
  /** How many answers are asked for (`n`); 1 unless said. */
  readonly choices: number;
  readonly stop: readonly string[];
  readonly thinking: 'enabled' | 'disabled' | undefined;
  readonly effort: Effort | undefined;
  /** The effort of a thinking model where the client says none: `high`, unless the client is known to want more. */
  readonly defaultEffort?: Effort;
  readonly userId: string | undefined;
  readonly logprobs: boolean;
  readonly topLogprobs: number | undefined;
  /** Whether the client said `stream: true`; clients that want one JSON body leave it out as often as they say false. */
  readonly wantsStream: boolean;
  /** What the client sent, so that a provider of the same format gets unlisted fields too, in the client's key order. */
  readonly wire: Wire;
}

/** The client's own body, parsed but otherwise untouched. */
export interface Wire {
  readonly format: 'chat-completions' | 'completions';
  readonly body: Readonly<Record<string, unknown>>;
  /** Size of the body as it arrived: an upper bound for prompt tokens. */
  readonly bytes: number;
}

export type Effort = 'high' | 'max';

export type Message =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly text: string; readonly toolCallId: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: Readonly<Record<string, unknown>> | undefined;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };
