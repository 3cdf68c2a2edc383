import { isObject, listOf } from '../../wire-value.ts';
import type { BodyFields } from './body-fields.ts';

/**
 * Fills in missing contents. Clients omit the content of a message with tool calls and send `null` for an empty result;
 * providers may reject both.
 */
export function withContents(fields: BodyFields): BodyFields {
  const messages = listOf(fields.get('messages'));
  if (messages.some((message) => contentFor(message) !== undefined)) {
    fields.set(
      'messages',
      messages.map((message) => ({ ...(isObject(message) && message), ...contentFor(message) })),
    );
  }
  return fields;
}

function contentFor(message: unknown): { readonly content: string | null } | undefined {
  if (!isObject(message)) return undefined;
  if (message.role === 'tool' && message.content === null) return { content: '' };
  return message.role === 'assistant' && message.content === undefined ? { content: null } : undefined;
}
