import type { Effort } from '../core/chat-request.ts';

/** What clients call effort, in every format. Words that nobody here knows say nothing: clients are ahead of us. */
export const efforts: ReadonlyMap<unknown, Effort> = new Map([
  ['minimal', 'high'],
  ['low', 'high'],
  ['medium', 'high'],
  ['high', 'high'],
  ['xhigh', 'max'],
  ['max', 'max'],
  ['ultra', 'max'],
]);
