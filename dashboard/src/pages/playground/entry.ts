import type { Run } from './run.ts';
import type { Turn } from './turn.ts';

/** What was said, in order: turns of ours, and runs that were the answers. */
export type Entry = Exclude<Turn, { role: 'assistant' }> | { readonly role: 'answer'; readonly run: Run };
