import type { Effort } from '../../core/chat-request.ts';
import type { UpstreamCall } from '../upstream.ts';

/** What is to be said about thinking. What the client left open is the contract's default, for models that can think. */
export interface ThinkingWish {
  readonly mode: 'enabled' | 'disabled' | undefined;
  readonly effort: Effort | undefined;
  /** Tokens to think with, where the client named a number. */
  readonly budget: number | undefined;
  /** Whether the client itself asked for thinking; the default gives way to what a provider forbids beside it. */
  readonly isAsked: boolean;
}

/** The packages' word for an effort; one they do not know is read as the next one down. */
export function effortWord(effort: Effort | undefined): 'high' | 'xhigh' | undefined {
  return effort === 'max' ? 'xhigh' : effort;
}

export function thinkingWish({ request, thinking }: UpstreamCall): ThinkingWish {
  const mode = request.thinking ?? (thinking ? 'enabled' : undefined);
  const isOpen = thinking && mode === 'enabled';
  return {
    mode,
    effort: request.effort ?? (isOpen ? (request.defaultEffort ?? 'high') : undefined),
    budget: mode === 'enabled' ? request.thinkingBudget : undefined,
    isAsked: request.thinking === 'enabled' || (thinking && request.effort !== undefined),
  };
}
