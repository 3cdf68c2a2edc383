import { pino } from 'pino';
import { expect, test } from 'vitest';
import { broken } from 'chat-formats/reasons/reason.ts';
import { ReloadWatch } from './reload-watch.ts';

const problem = { line: 1, column: 1, path: 'models', ...broken('wrong_form'), fix: 'Correct it.' };

test('a rejected reload writes one log line with its reason and at most ten problems', () => {
  const lines: string[] = [];
  const watch = new ReloadWatch(pino({}, { write: (line: string) => void lines.push(line) }), {
    isSuccessful: true,
    succeededAt: 1,
  });
  const refusal = {
    file: 'gateway.yaml',
    reason: 'It has 50 problems.',
    problems: Array.from({ length: 50 }, () => problem),
  };
  watch.note({ state: { isSuccessful: false, succeededAt: 1 }, refusal });
  expect(watch.state).toEqual({ isSuccessful: false, succeededAt: 1 });
  watch.note({ state: { isSuccessful: true, succeededAt: 2 } });
  expect(watch.state).toEqual({ isSuccessful: true, succeededAt: 2 });
  expect(lines).toHaveLength(1);
  const line = JSON.parse(lines[0]!);
  expect(line).toMatchObject({
    file: 'gateway.yaml',
    reason: refusal.reason,
    msg: expect.stringContaining('not applied'),
  });
  expect(line.problems).toEqual(Array.from({ length: 10 }, () => problem));
});
