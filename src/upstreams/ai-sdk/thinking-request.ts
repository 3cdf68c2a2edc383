import type { Effort } from '../../core/chat/chat-request.ts';
import type { UpstreamCall } from '../upstream.ts';

/** The reasoning settings of a call. Values that the client left open have defaults for models that can reason. */
export interface ThinkingRequest {
  readonly mode: 'enabled' | 'disabled' | undefined;
  readonly effort: Effort | undefined;
  /** Reasoning tokens, if the client set a number. */
  readonly budget: number | undefined;
  /** Otherwise reasoning is a default, which is dropped if the provider forbids it with other settings. */
  readonly isExplicit: boolean;
}

/** Maps an effort to the level of the packages. A level that they do not have becomes the next lower one. */
export function effortWord(effort: Effort | undefined): 'high' | 'xhigh' | undefined {
  return effort === 'max' ? 'xhigh' : effort;
}

export function thinkingRequest({ request, thinking }: UpstreamCall): ThinkingRequest {
  const mode = request.thinking ?? (thinking ? 'enabled' : undefined);
  const isOpen = thinking && mode === 'enabled';
  return {
    mode,
    effort: request.effort ?? (isOpen ? (request.defaultEffort ?? 'high') : undefined),
    budget: mode === 'enabled' ? request.thinkingBudget : undefined,
    isExplicit: request.thinking === 'enabled' || (thinking && request.effort !== undefined),
  };
}
