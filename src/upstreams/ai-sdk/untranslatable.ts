import type { ChatRequest } from '../../core/chat-request.ts';
import { chatRequestSchema } from '../../dialects/chat-completions/request-schema.ts';
import { requestFields } from '../../dialects/chat-completions/request-fields.ts';
import { unsupported } from './unsupported.ts';

/** Refuses what a request asks for beyond the vocabulary of `core`, by the name of the field: dropping it would lie. */
export function refuseUntranslatable(request: ChatRequest): void {
  if (request.choices > 1) throw unsupported('n', 'Ask for one answer at a time.');
  if (request.logprobs || request.topLogprobs !== undefined) throw unsupported('logprobs', 'Leave it out.');
  const { format, body } = request.wire;
  const known: ReadonlySet<string> | undefined = knownFields[format];
  const unknown = Object.keys(body).find((field) => known && !known.has(field) && body[field] !== null);
  if (unknown !== undefined) throw unsupported(unknown.slice(0, nameShownMax), 'Leave it out.');
}

/** A longer name is no name but a value, and is not repeated. */
const nameShownMax = 64;

const knownFields: Readonly<Record<ChatRequest['wire']['format'], ReadonlySet<string> | undefined>> = {
  'chat-completions': new Set([...Object.keys(chatRequestSchema.shape), 'parallel_tool_calls']),
  completions: new Set([...Object.keys(requestFields), 'prompt']),
  messages: undefined,
};
