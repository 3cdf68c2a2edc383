import { check, group } from '../check.ts';
import { expectRejected } from '../refusal.ts';

const user = { role: 'user', content: 'Say hello in one sentence.' };
const call = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: '{}' } };

export const messageShapes = group('message-shapes', 'Messages of a conversation', [
  accepted('system', 'A system message is accepted', [{ role: 'system', content: 'Be brief.' }, user]),
  accepted('assistant', 'Earlier answers may be sent again', [user, { role: 'assistant', content: 'Hello!' }, user]),
  accepted('tool', 'An assistant message may have null content, followed by the tool result', [
    user,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '12:00' },
  ]),
  accepted('name', 'Every role accepts a name', [
    { role: 'system', content: 'Be brief.', name: 'host' },
    { ...user, name: 'ada' },
    { role: 'assistant', content: null, tool_calls: [call], name: 'bob' },
    { role: 'tool', tool_call_id: 'call_1', content: '12:00', name: 'clock' },
  ]),
  rejected('at-least-one', 'A conversation without messages is rejected', [undefined, null, [], {}, 'Hello']),
  rejected('element', 'A message that is not an object is rejected', [[null], [5], ['Hello']]),
  rejected('role', 'A message needs a known role', [[{ content: 'Hello' }], [{ role: 'alien', content: 'Hi' }]]),
  rejected('content', 'System, user and tool messages need content', [
    [{ role: 'user' }],
    [{ role: 'user', content: null }],
    [{ role: 'system', content: 7 }, user],
    [user, { role: 'assistant', content: null, tool_calls: [call] }, { role: 'tool', tool_call_id: 'call_1' }],
  ]),
  rejected('tool-call-id', 'A tool message needs the id of the call it answers', [
    [user, { role: 'assistant', content: null, tool_calls: [call] }, { role: 'tool', content: '12:00' }],
  ]),
  rejected('name-type', 'A name that is not a string is rejected', [[{ ...user, name: 5 }], [{ ...user, name: {} }]]),
]);

function accepted(slug: string, title: string, messages: readonly unknown[]) {
  return check(slug, title, async ({ attempt }) => {
    await attempt({ messages });
  });
}

function rejected(slug: string, title: string, all: readonly unknown[]) {
  return check(slug, title, async ({ post }) => {
    for (const messages of all) expectRejected(await post({ messages }), { messages });
  });
}
