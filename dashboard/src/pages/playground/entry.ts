import type { Run } from './run.ts';
import type { PlaygroundMessage } from './turn.ts';

/** What was said, in order: turns of ours, and runs that were the answers. */
export type ConversationEntry =
  | Exclude<PlaygroundMessage, { role: 'assistant' }>
  | { readonly role: 'answer'; readonly run: Run };
