import { expect, test } from 'vitest';
import { textLine } from './log.ts';

test('a text line has time, level and message, and stays one line', () => {
  const line = { level: 'info', time: 0, worker: 2, id: 'r1', path: '/v1/x y', cause: 'a\n"b"', msg: 'request' };
  expect(textLine(JSON.stringify(line))).toBe(
    '1970-01-01T00:00:00.000Z INFO  request worker=2 id=r1 path="/v1/x y" cause="a\\n\\"b\\""\n',
  );
});
