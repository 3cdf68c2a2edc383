import { expect, test } from 'vitest';
import { decodeMessagesBody, messagesStreamDecoder } from './messages/answer/message-decoder.ts';
import { decodeResponsesBody, responsesStreamDecoder } from './responses/answer/response-decoder.ts';

const message = { id: 'msg_1', type: 'message', role: 'assistant', usage: { input_tokens: 1, output_tokens: 1 } };
const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] };

const frame = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

/** The id that a decoder reports for an answer. */
function reportedId(
  decode: (decoding: { newId: () => string; isVerbatim: boolean; answeredAs: (id: string) => void }) => void,
) {
  let reported: string | undefined;
  decode({ newId: () => 'new', isVerbatim: false, answeredAs: (id) => (reported ??= id) });
  return reported;
}

test.each<[string, Parameters<typeof reportedId>[0], string]>([
  [
    'a stream of messages',
    (decoding) => void messagesStreamDecoder(decoding).push(frame('message_start', { message })),
    'msg_1',
  ],
  [
    'a whole message',
    (decoding) =>
      void decodeMessagesBody(JSON.stringify({ ...message, content: [], stop_reason: 'end_turn' }), decoding),
    'msg_1',
  ],
  [
    'a stream of responses',
    (decoding) => void responsesStreamDecoder(decoding).push(frame('response.created', { response })),
    'resp_1',
  ],
  ['a whole response', (decoding) => void decodeResponsesBody(JSON.stringify(response), decoding), 'resp_1'],
])('the decoder reports the id that the provider gave %s', (_name, decode, id) => {
  expect(reportedId(decode)).toBe(id);
});
