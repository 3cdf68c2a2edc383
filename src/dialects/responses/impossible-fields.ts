import { type InvalidField, invalidRequest } from '../invalid-request.ts';
import { isObject, listOf, type WireObject } from '../wire-value.ts';

/** What only the makers of the format could do, and what to do instead. */
const impossible: Readonly<Record<string, string>> = {
  prompt: 'names a prompt kept elsewhere: send its text as instructions and input',
  conversation:
    'names a conversation kept elsewhere: use previous_response_id, or send the whole conversation as input',
  moderation: 'is not available here: leave it out',
};

/** Throws where a request asks for what no provider here can do and leaving it out would change the answer. */
export function refuseImpossible(body: WireObject): void {
  const broken: InvalidField[] = Object.entries(impossible).flatMap(([name, rule]) =>
    body[name] === undefined || body[name] === null ? [] : [{ path: [name], rule }],
  );
  if (body.background === true)
    broken.push({ path: ['background'], rule: 'must not be true: every answer is made while its client waits' });
  for (const [at, item] of listOf(body.input).entries()) {
    if (isObject(item)) broken.push(...inItem(item, at));
  }
  if (broken.length > 0) throw invalidRequest(broken);
}

function inItem(item: WireObject, at: number): readonly InvalidField[] {
  if (item.type === 'compaction_trigger') {
    return [{ path: ['input', at], rule: 'asks for a compaction, which only the last item can' }];
  }
  return item.type === 'item_reference'
    ? [{ path: ['input', at], rule: 'refers to an item that is not kept here: send the item itself' }]
    : [];
}
