import type { ReceivedReply } from './client.ts';
import { at, isText, listAt, parsed } from './json.ts';

export const chatTag = 'openai';
export const messagesTag = 'anthropic';

/** The catalog of the deployment, parsed leniently. The `models` checks validate it; other checks only pick models. */
export interface CheckCatalog {
  readonly reply: ReceivedReply;
  readonly ids: readonly string[];
  /** Ids of entries that list the surface. */
  on(tag: string): readonly string[];
}

export function catalogIn(reply: ReceivedReply): CheckCatalog {
  const entries = listAt(parsed(reply.text), 'data').filter((entry) => isText(at(entry, 'id')));
  const idOf = (entry: unknown) => at(entry, 'id') as string;
  return {
    reply,
    ids: entries.map(idOf),
    on: (tag) => entries.filter((entry) => listAt(entry, 'supported_endpoint_types').includes(tag)).map(idOf),
  };
}
