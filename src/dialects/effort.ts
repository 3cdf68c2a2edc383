import type { Effort } from '../core/chat/chat-request.ts';

/**
 * The effort levels that clients send, in any format. Other values are ignored, because clients may be newer than this
 * gateway.
 */
export const efforts: ReadonlyMap<unknown, Effort> = new Map([
  ['minimal', 'high'],
  ['low', 'high'],
  ['medium', 'high'],
  ['high', 'high'],
  ['xhigh', 'max'],
  ['max', 'max'],
  ['ultra', 'max'],
]);
