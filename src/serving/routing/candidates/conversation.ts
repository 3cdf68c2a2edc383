import type { Wire } from 'chat-formats/chat/chat-request.ts';
import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';

/** Providers cache prompts from about a thousand tokens; a shorter prompt gains nothing from the same provider. */
const worthwhileBytes = 4096;
const charactersMax = 2048;

/** Account, model, instructions and first question, which every turn repeats; `undefined` if it saves nothing. */
export function conversationOf(wire: Wire, of: { accountId: string; model: string }): string | undefined {
  if (wire.bytes < worthwhileBytes) return undefined;
  const { system, instructions, messages, input, prompt } = wire.body;
  const turns: unknown = messages ?? input;
  const opening = Array.isArray(turns) ? openingOf(turns as readonly unknown[]) : [turns];
  return [of.accountId, of.model, ...[system, instructions, prompt, ...opening].map(beginning)].join('\n');
}

function openingOf(messages: readonly unknown[]): unknown[] {
  const first = messages.findIndex((message) => fieldOf(message, 'role') === 'user');
  return messages.slice(0, first + 1).map((message) => fieldOf(message, 'content'));
}

/** Enough of a text, or of the first part of a content, to distinguish conversations. */
function beginning(content: unknown): string {
  const text: unknown = Array.isArray(content) ? fieldOf(content[0], 'text') : content;
  return typeof text === 'string' ? `${text.length} ${text.slice(0, charactersMax)}` : '';
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/**
 * Names conversations for providers. A name is the same in every process that has the secret, so that all turns use the
 * same prompt cache. Without the secret, a name does not even allow testing a guess of the content.
 */
export function conversationNames(secret: KeyObject): (conversation: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'chat-gateway conversations', 32));
  return (conversation) => createHmac('sha256', key).update(conversation).digest('base64url');
}
