import { chatBody } from './chat-body.ts';
import { messagesBody } from './messages-body.ts';
import { readChat } from './read-chat.ts';
import { readMessages } from './read-messages.ts';
import { readResponses } from './read-responses.ts';
import { responsesBody } from './responses-body.ts';

/** How each surface builds a request and reads its answer. */
export const surfaces = {
  chat: { body: chatBody, read: readChat },
  messages: { body: messagesBody, read: readMessages },
  responses: { body: responsesBody, read: readResponses },
} as const;

export function surfaceNamed(name: string | undefined): keyof typeof surfaces {
  return name === 'messages' || name === 'responses' ? name : 'chat';
}
