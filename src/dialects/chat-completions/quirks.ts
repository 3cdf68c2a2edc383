import type { ProviderConstraints } from '../../core/guarantee.ts';

/** How a provider departs from the plain chat-completions format, with nothing left open, and what it keeps by itself. */
export interface ResolvedQuirks extends ProviderConstraints {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly thinkingStyle:
    | 'both'
    | 'thinking'
    | 'reasoning_effort'
    | 'enable_thinking'
    | 'chat_template_kwargs'
    | 'reasoning'
    | 'none';
  readonly effortHigh: string;
  readonly effortMax: string;
  readonly userField: 'user_id' | 'user' | 'none';
  readonly usageOption: boolean;
  /** The field or header that tells which requests belong to one conversation. */
  readonly cacheAffinity: 'prompt_cache_key' | 'x-session-affinity' | 'x-grok-conv-id' | 'none';
  /** Whether the provider wants what the model thought in earlier turns back, as `reasoning_content`. */
  readonly reasoningReplay: boolean;
  /** Whether the provider also speaks the responses format to clients of it, or nothing else to anybody. */
  readonly responses: boolean | 'only';
  /** How many texts it embeds in one call; any number if not said. */
  readonly embeddingsMax?: number | undefined;
  readonly completions: boolean;
  readonly suffix: boolean;
  readonly completionsUrl?: string | undefined;
  /** For providers of the messages format; by the model's name if not said. */
  readonly messagesThinking?: 'budget' | 'adaptive' | 'none' | undefined;
  /** How the provider is told that the last message is the beginning of its answer; `none` where it takes it so by itself. */
  readonly prefixStyle: 'prefix' | 'partial' | 'continue_final_message' | 'none';
  readonly prefixUrl?: string | undefined;
}

/** A provider that takes exactly the contract's own fields. */
export const plainQuirks: ResolvedQuirks = {
  maxTokensField: 'max_tokens',
  thinkingStyle: 'both',
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
};
