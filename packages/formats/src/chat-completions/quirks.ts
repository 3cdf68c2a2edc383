import type { ProviderConstraints } from '../chat/guarantee.ts';

/** How a provider differs from the chat-completions format, with defaults resolved, and what it enforces. */
export interface ResolvedQuirks extends ProviderConstraints {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly thinkingStyle:
    | 'both'
    | 'thinking'
    | 'reasoning_effort'
    | 'enable_thinking'
    | 'chat_template_kwargs'
    | 'reasoning'
    | 'thinking_config'
    | 'none';
  /** Whether the style was declared. Without a declaration, the provider may refuse fields that the client did not send. */
  readonly thinkingDefaults: boolean;
  readonly effortHigh: string;
  readonly effortMax: string;
  readonly userField: 'user_id' | 'user' | 'none';
  readonly usageOption: boolean;
  /** The field or header that identifies the requests of one conversation. */
  readonly cacheAffinity: 'prompt_cache_key' | 'x-session-affinity' | 'x-grok-conv-id' | 'none';
  /** Whether the provider requires the reasoning of earlier turns, as `reasoning_content`. */
  readonly reasoningReplay: boolean;
  /** Whether it also accepts the responses format, for clients of that format. `only`: it accepts no other. */
  readonly responses: boolean | 'only';
  /** The number of texts it embeds in one call; unlimited if not set. */
  readonly embeddingsMax?: number | undefined;
  readonly completions: boolean;
  readonly suffix: boolean;
  readonly completionsUrl?: string | undefined;
  /** For providers of the messages format; derived from the model's name if not set. */
  readonly messagesThinking?: 'budget' | 'adaptive' | 'none' | undefined;
  /** How to mark the last message as the start of the answer; `none` if the provider assumes it without a mark. */
  readonly prefixStyle: 'prefix' | 'partial' | 'continue_final_message' | 'none';
  readonly prefixUrl?: string | undefined;
  /** `standard`: it refuses requests with fields of other servers, or with members of messages that only some accept. */
  readonly fields: 'any' | 'standard';
  /** The ids of tool calls that it accepts: any, or nine letters and digits. */
  readonly callIds: 'any' | 'nine-characters';
  /** Whether it refuses tool calls of earlier turns without the signature that it gave them. */
  readonly callSignatures: 'optional' | 'required';
  /** Whether the total of its usage includes reasoning that its count of the output does not. */
  readonly usageTotal: 'sum' | 'with-reasoning';
}

export const defaultQuirks: ResolvedQuirks = {
  maxTokensField: 'max_tokens',
  thinkingStyle: 'both',
  thinkingDefaults: false,
  effortHigh: 'high',
  effortMax: 'max',
  userField: 'user_id',
  usageOption: true,
  cacheAffinity: 'none',
  reasoningReplay: false,
  responses: false,
  completions: false,
  suffix: false,
  prefixStyle: 'none',
  fields: 'any',
  callIds: 'any',
  callSignatures: 'optional',
  usageTotal: 'sum',
};
