import { expect, test } from 'vitest';
import { LineChecker, type LineRules } from './check-lines.ts';

const endpoint = '/v1/chat/completions';
const good = (customId: string, body: object = { model: 'm' }) =>
  JSON.stringify({ custom_id: customId, method: 'POST', url: endpoint, body });

async function checked(content: string | Buffer, rules: Partial<LineRules> = {}) {
  const checker = new LineChecker({ endpoint, linesMax: 50_000, ...rules });
  const places = await checker.take(Buffer.from(content), true);
  return { places, problems: checker.finish().map(({ code, line }) => [code, line]) };
}

test('a file without requests is empty, also with blank lines only', async () => {
  expect((await checked('')).problems).toEqual([['empty_file', null]]);
  expect((await checked('\n \r\n\n')).problems).toEqual([['empty_file', null]]);
});

test('blank lines, CRLF and a byte order mark are accepted, and lines keep their numbers', async () => {
  const { places, problems } = await checked(`\uFEFF${good('a')}\r\n\r\n${good('b')}`);
  expect(problems).toEqual([]);
  expect(places.map(({ line, customId }) => [line, customId])).toEqual([
    [1, 'a'],
    [3, 'b'],
  ]);
});

test('each bad line is reported with its number and a code', async () => {
  const lines = [
    good('a'),
    good('a'),
    good('b').replace(endpoint, '/v1/responses'),
    good('c').replace('POST', 'GET'),
    good('d', { model: 'm', stream: true }),
    good('e', { messages: [] }),
    good('f', { model: 'unknown' }),
    '{',
    '[]',
  ];
  const { problems } = await checked(lines.join('\n'), { canUse: (model) => model === 'm' });
  expect(problems).toEqual([
    ['duplicate_custom_id', 2],
    ['mismatched_url', 3],
    ['invalid_method', 4],
    ['invalid_parameter', 5],
    ['missing_required_parameter', 6],
    ['model_not_found', 7],
    ['invalid_json_line', 8],
    ['invalid_json_line', 9],
  ]);
});

test('invalid UTF-8 and deeply nested JSON are reported, not thrown', async () => {
  const deep = '['.repeat(200_000);
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(deep)]);
  expect((await checked(bytes)).problems).toEqual([
    ['invalid_json_line', 1],
    ['invalid_json_line', 2],
  ]);
});

test('a line that goes on in the next chunks is one request, with the place where it begins', async () => {
  const checker = new LineChecker({ endpoint, linesMax: 10 });
  const text = Buffer.from(`${good('a')}\n${good('b', { model: 'm', pad: 'x'.repeat(100) })}\n${good('c')}`);
  const cut = good('a').length + 30;
  const places = [
    ...(await checker.take(text.subarray(0, cut), false)),
    ...(await checker.take(text.subarray(cut, cut + 50), false)),
    ...(await checker.take(text.subarray(cut + 50), true)),
  ];
  expect(checker.finish()).toEqual([]);
  const [, second] = text.toString().split('\n');
  expect(places.map(({ customId, chunk, firstByte, bytes }) => [customId, chunk, firstByte, bytes])).toEqual([
    ['a', 0, 0, good('a').length],
    ['b', 0, good('a').length + 1, second!.length],
    ['c', 2, expect.any(Number), good('c').length],
  ]);
});

test('one request more than allowed fails the file', async () => {
  const lines = Array.from({ length: 50_001 }, (_, at) => good(`line-${at}`));
  expect((await checked(lines.join('\n'))).problems).toEqual([['too_many_tasks', null]]);
  expect((await checked(lines.slice(1).join('\n'))).problems).toEqual([]);
});

test('other work of the process runs between the lines of a chunk', async () => {
  const lines = Buffer.from(Array.from({ length: 5000 }, (_, at) => good(`line-${at}`)).join('\n'));
  let turns = 0;
  let timer = setImmediate(function count() {
    turns += 1;
    timer = setImmediate(count);
  });
  await checked(lines);
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(lines.length / 100_000);
});

test('a line may have a body with all levels and values of a live one', async () => {
  const deep = (levels: number) => `{"model":"m","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const lineOf = (body: string) => good('a').replace(/"body":.*/, `"body":${body}}`);
  expect((await checked(lineOf(deep(64)))).problems).toEqual([]);
  expect((await checked(lineOf(deep(65)))).problems).toEqual([['invalid_json_line', 1]]);
});
