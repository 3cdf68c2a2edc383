import { expect, test } from 'vitest';
import { renameMessage, renameStart } from './answer-model.ts';

const theirs =
  '{"type" : "message_start","message":{ "content":[{"model":"theirs"}],"mod\\u0065l" :"th\\"eirs" ,"x":1.0}, "model":"kept"}';
const ours =
  '{"type" : "message_start","message":{ "content":[{"model":"theirs"}],"mod\\u0065l" :"ours" ,"x":1.0}, "model":"kept"}';

test.each([
  ['\n', 'data: '],
  ['\r\n', 'data:'],
  ['\r', 'data:  '],
])('the beginning of a message gets the name, and nothing else changes', (end, field) => {
  const frames = (data: string) =>
    `: hello${end}${end}event: ping${end}data: {"type":"ping"}${end}${end}event: message_start${end}${field}${data}${end}${end}data: {"type":"content_block_start","content_block":{"text":"message_start","model":"theirs"}}${end}${end}`;
  expect(renameStart(frames(theirs), 'ours')).toBe(frames(ours));
});

test.each([
  'event: ping\ndata: {"type":"ping"}\n\n',
  'data: {"type":"text","text":"message_start"}\n\n',
  'data: message_start\n\n',
  '',
])('frames without a beginning have none: %j', (frames) => {
  expect(renameStart(frames, 'ours')).toBeUndefined();
});

test('a beginning without a message or a model is left as it is', () => {
  for (const data of [
    '{"type":"message_start"}',
    '{"type":"message_start","message":null}',
    '{"type":"message_start","message":{}}',
  ]) {
    expect(renameStart(`data: ${data}\n\n`, 'ours')).toBe(`data: ${data}\n\n`);
  }
});

test('a whole message gets the name', () => {
  expect(renameMessage(' {"model":"theirs", "content":[{"model":"theirs"}]}\n', 'o"urs')).toBe(
    ' {"model":"o\\"urs", "content":[{"model":"theirs"}]}\n',
  );
});
