import type { Run } from './run.ts';
import type { PlaygroundMessage } from './turn.ts';

/** The conversation in order: messages of the user, and runs with the answers. */
export type ConversationEntry =
  | Exclude<PlaygroundMessage, { role: 'assistant' }>
  | { readonly role: 'answer'; readonly run: Run };
