import { isObject, listOf } from '../wire-value.ts';
import type { BodyFields } from './body-fields.ts';

/**
 * Clients leave the content of a turn of calls out and send results of nothing; providers need not take that. The format
 * has words for both.
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
