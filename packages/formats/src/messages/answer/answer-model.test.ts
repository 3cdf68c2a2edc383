import { expect, test } from 'vitest';
import { renameMessage, renameStart } from './edit-answer.ts';

const theirs =
  '{"type" : "message_start","message":{ "content":[{"model":"theirs"}],"mod\\u0065l" :"th\\"eirs" ,"x":1.0}, "model":"kept"}';
const ours =
  '{"type" : "message_start","message":{ "content":[{"model":"theirs"}],"mod\\u0065l" :"ours" ,"x":1.0}, "model":"kept"}';

test.each([
  ['\n', 'data: '],
  ['\r\n', 'data:'],
  ['\r', 'data:  '],
])('renameStart replaces only the model name in message_start', (end, field) => {
  const frames = (data: string) =>
    `: hello${end}${end}event: ping${end}data: {"type":"ping"}${end}${end}event: message_start${end}${field}${data}${end}${end}data: {"type":"content_block_start","content_block":{"text":"message_start","model":"theirs"}}${end}${end}`;
  expect(renameStart(frames(theirs), 'ours')).toBe(frames(ours));
});

test.each([
  'event: ping\ndata: {"type":"ping"}\n\n',
  'data: {"type":"text","text":"message_start"}\n\n',
  'data: message_start\n\n',
  '',
])('renameStart returns undefined for frames without message_start: %j', (frames) => {
  expect(renameStart(frames, 'ours')).toBeUndefined();
});

test('renameStart leaves a message_start without a message or model unchanged', () => {
  for (const data of [
    '{"type":"message_start"}',
    '{"type":"message_start","message":null}',
    '{"type":"message_start","message":{}}',
  ]) {
    expect(renameStart(`data: ${data}\n\n`, 'ours')).toBe(`data: ${data}\n\n`);
  }
});

test('renameMessage replaces the model name of a complete message', () => {
  expect(renameMessage(' {"model":"theirs", "content":[{"model":"theirs"}]}\n', 'o"urs')).toBe(
    ' {"model":"o\\"urs", "content":[{"model":"theirs"}]}\n',
  );
});
