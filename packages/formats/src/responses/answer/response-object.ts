import type { Usage } from '../../chat/usage.ts';
import { isObject, listOf, objectOf, type WireObject } from '../../wire-value.ts';
import { encodeResponsesUsage } from './usage.ts';
import type { Seal } from '../reasoning-item.ts';

export interface ResponsesEncoding {
  /** The request's id. The ids of the response and of its items contain it. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The catalog id of the model that answers. */
  readonly model: string;
  /** The client's own body: a response repeats most of it. */
  readonly body: WireObject;
  /** Unix seconds, now. */
  readonly now: () => number;
  readonly logprobs: boolean;
  /** If undefined, reasoning is shown but not sealed. */
  readonly seal?: Seal | undefined;
}

export interface ResponseState {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly output: readonly WireObject[];
  readonly usage?: Usage | undefined;
  readonly error?: { readonly code: string; readonly message: string };
  readonly incompleteReason?: 'max_output_tokens' | 'content_filter' | undefined;
  /** Set if the model did not end its turn by itself. */
  readonly endsTurn?: false | undefined;
}

export function responseId({ id }: Pick<ResponsesEncoding, 'id'>): string {
  return `resp_${id}`;
}

export function isBackground({ body }: Pick<ResponsesEncoding, 'body'>): boolean {
  return body.background === true;
}

export function responseObject(encoding: ResponsesEncoding, state: ResponseState): WireObject {
  const { body } = encoding;
  const { status, output, usage, error, incompleteReason } = state;
  const isOver = status === 'completed' || status === 'incomplete';
  return {
    id: responseId(encoding),
    object: 'response',
    created_at: encoding.created,
    completed_at: isOver ? encoding.now() : null,
    status,
    background: isBackground(encoding),
    error: error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: encoding.model,
    output,
    ...echoRequest(body),
    usage: usage ? encodeResponsesUsage(usage) : null,
    metadata: objectOf(body.metadata) ?? {},
    ...(state.endsTurn === false && { end_turn: false }),
  };
}

/** Returns the request's values, or their defaults. Clients require numbers in the format's number fields. */
function echoRequest(body: WireObject): WireObject {
  const reasoning = objectOf(body.reasoning);
  const text = objectOf(body.text);
  return {
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { ...text, format: objectOf(text?.format) ?? { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: listOf(body.tools).filter(isObject).map(echoTool),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    truncation: body.truncation ?? 'disabled',
    user: body.user ?? null,
  };
}

/** Functions are returned with all their fields. */
function echoTool(tool: WireObject): WireObject {
  return tool.type === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool;
}
