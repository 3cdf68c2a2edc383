import { type InvalidField, invalidRequest } from '../../invalid-request.ts';
import { isObject, listOf, type WireObject } from '../../wire-value.ts';

/** Features that only the vendor of the format has, and what to do instead. */
const impossible: Readonly<Record<string, string>> = {
  prompt: 'names a prompt that is not stored here: send its text as instructions and input',
  conversation:
    'names a conversation that is not stored here: use previous_response_id, or send the whole conversation as input',
  moderation: 'is not available here: leave it out',
};

/** Throws if a request uses a feature that is not available here and that would change the answer if dropped. */
export function refuseImpossible(body: WireObject): void {
  const invalid: InvalidField[] = Object.entries(impossible).flatMap(([name, rule]) =>
    body[name] === undefined || body[name] === null ? [] : [{ path: [name], rule }],
  );
  if (body.background === true)
    invalid.push({ path: ['background'], rule: 'must not be true: background responses are not supported' });
  for (const [at, item] of listOf(body.input).entries()) {
    if (isObject(item)) invalid.push(...inItem(item, at));
  }
  if (invalid.length > 0) throw invalidRequest(invalid);
}

function inItem(item: WireObject, at: number): readonly InvalidField[] {
  if (item.type === 'compaction_trigger') {
    return [{ path: ['input', at], rule: 'requests a compaction, which only the last item may do' }];
  }
  return item.type === 'item_reference'
    ? [{ path: ['input', at], rule: 'refers to an item that is not stored here: send the item itself' }]
    : [];
}
