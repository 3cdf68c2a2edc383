import { chatBody, readChat } from './chat-surface.ts';
import { messagesBody, readMessages } from './messages-surface.ts';
import { readResponses, responsesBody } from './responses-surface.ts';

/** How each surface builds a request and reads its answer. */
export const surfaces = {
  chat: { body: chatBody, read: readChat },
  messages: { body: messagesBody, read: readMessages },
  responses: { body: responsesBody, read: readResponses },
} as const;

export function surfaceNamed(name: string | undefined): keyof typeof surfaces {
  return name === 'messages' || name === 'responses' ? name : 'chat';
}
