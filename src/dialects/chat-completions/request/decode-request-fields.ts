import type { z } from 'zod';
import type { ChatRequest } from '../../../core/chat/chat-request.ts';
import { efforts } from '../../effort.ts';
import { objectOf } from '../../wire-value.ts';
import { chatProviderTools } from './provider-tools.ts';
import type { requestFields } from './request-fields.ts';

type WireFields = z.output<z.ZodObject<typeof requestFields, z.core.$loose>>;

type SharedFields = Pick<
  ChatRequest,
  | 'model'
  | 'stop'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'thinking'
  | 'thinkingBudget'
  | 'effort'
  | 'userId'
  | 'wantsStream'
  | 'providerTools'
>;

/** The fields that are the same on both endpoints. */
export function decodeRequestFields(wire: WireFields): SharedFields {
  return {
    model: wire.model,
    stop: decodeStop(wire.stop),
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    topK: positiveInteger(wire['top_k']),
    ...decodeThinking(wire),
    userId: wire.user_id ?? undefined,
    // In this format a missing `stream` means one JSON body: client libraries leave it out for that.
    wantsStream: wire.stream === true,
    providerTools: chatProviderTools(wire),
  };
}

/** An empty stop sequence would end every answer at once, so it is ignored. */
function decodeStop(stop: WireFields['stop']): readonly string[] {
  const sequences = typeof stop === 'string' ? [stop] : (stop ?? []);
  return sequences.filter((sequence) => sequence !== '');
}

/** Fields that the contract does not list are not validated; an invalid value is ignored. */
function positiveInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

/**
 * Reasoning can be set in three fields: two of the contract, and an object that several providers support. The
 * contract's fields take precedence.
 */
function decodeThinking(wire: WireFields): Pick<SharedFields, 'thinking' | 'thinkingBudget' | 'effort'> {
  const reasoning = objectOf(wire['reasoning']);
  const effort = wire.reasoning_effort ?? reasoning?.effort;
  const budget = positiveInteger(wire.thinking?.['budget_tokens']) ?? positiveInteger(reasoning?.max_tokens);
  const isOff = effort === 'none' || reasoning?.enabled === false;
  const isOn = reasoning?.enabled === true || (reasoning !== undefined && budget !== undefined);
  const setting = wire.thinking ? (wire.thinking.type ?? 'enabled') : undefined;
  return {
    thinking: setting ?? (isOff ? 'disabled' : isOn ? 'enabled' : undefined),
    thinkingBudget: budget,
    effort: efforts.get(effort),
  };
}
