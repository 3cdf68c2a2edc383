import type { ChatRequest } from '../../core/chat/chat-request.ts';
import { decodeRequestFields } from '../chat-completions/request/decode-request-fields.ts';
import { validated } from '../invalid-request.ts';
import { decodePriceOptions } from '../priced-fields.ts';
import type { WireObject } from '../wire-value.ts';
import { completionRequestSchema, type WireCompletionRequest } from './request-schema.ts';

/** Reads a parsed body, or throws `invalid-request` naming the fields and rules. Keeps the body by reference. */
export function decodeCompletionRequest(value: unknown, bytes: number, forwarded: unknown = value): ChatRequest {
  const wire = validated(completionRequestSchema, value, forwarded);
  const body = forwarded as WireObject;
  return {
    ...decodeRequestFields(wire),
    messages: [{ role: 'user', content: [{ type: 'text', text: promptText(wire.prompt) }] }],
    tools: [],
    toolChoice: undefined,
    parallelToolCalls: undefined,
    answerFormat: undefined,
    maxTokens: wire.max_tokens ?? undefined,
    choices: Math.max(wire.n ?? 1, wire.best_of ?? 1) * promptCount(wire.prompt),
    logprobs: typeof wire.logprobs === 'number',
    topLogprobs: wire.logprobs ?? undefined,
    hasUnsizedContent: false,
    priceOptions: decodePriceOptions(body),
    wire: { format: 'completions', body, bytes },
  };
}

type Prompt = WireCompletionRequest['prompt'];

/** Token ids count as no text, because only the provider can decode them. */
function promptText(prompt: Prompt): string {
  const prompts = typeof prompt === 'string' ? [prompt] : prompt;
  return prompts.filter((one) => typeof one === 'string').join('\n');
}

function promptCount(prompt: Prompt): number {
  const isOne = typeof prompt === 'string' || typeof prompt[0] === 'number';
  return isOne ? 1 : prompt.length;
}
