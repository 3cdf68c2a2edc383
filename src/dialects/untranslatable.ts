import type { ChatRequest } from '../core/chat-request.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { untranslatableInChat } from './chat-completions/untranslatable-fields.ts';
import { untranslatableInPrompt } from './completions/untranslatable-fields.ts';
import { type FieldPath, fieldName } from './invalid-request.ts';
import { untranslatableInMessages } from './messages/untranslatable-fields.ts';

/** More would not help anyone mend a request. */
const shownMax = 3;

/**
 * Throws `invalid-request` for a request that asks for something the core has no word for and that could change the
 * answer. Encoders into another format than the client's call it first: what they build would leave it out in silence.
 */
export function refuseUntranslatable(request: ChatRequest): void {
  const names = new Set<string>();
  for (const path of untranslatableIn(request)) {
    names.add(fieldName(path));
    if (names.size === shownMax) break;
  }
  if (names.size === 0) return;
  throw new GatewayError('invalid-request', {
    detail: `${listed([...names])} cannot be translated: the model's provider speaks another format. Leave ${names.size === 1 ? 'it' : 'them'} out, or choose a model whose provider speaks the format of this endpoint.`,
    details: names.has('thread') ? threadUnsupported : undefined,
  });
}

/** Libraries of the messages format start conversations that the provider keeps; told so, they send all of it each time. */
const threadUnsupported = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

function untranslatableIn(request: ChatRequest): Iterable<FieldPath> {
  const { format, body } = request.wire;
  switch (format) {
    case 'messages':
      return untranslatableInMessages(body);
    case 'chat-completions':
      return untranslatableInChat(body);
    case 'completions':
      return untranslatableInPrompt(body);
    default:
      return format satisfies never;
  }
}

function listed(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
