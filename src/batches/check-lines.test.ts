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

test('a line that is too long for a chunk is one problem, and the lines after it are checked', async () => {
  const checker = new LineChecker({ endpoint, linesMax: 10 });
  await checker.take(Buffer.from('x'.repeat(100)), false);
  await checker.take(Buffer.from('x'.repeat(100)), false);
  const places = await checker.take(Buffer.from(`xx\n${good('b')}\n`), true);
  expect(checker.finish().map(({ code, line }) => [code, line])).toEqual([['line_too_long', 1]]);
  expect(places).toMatchObject([{ line: 2, customId: 'b' }]);
});

test('one request more than allowed fails the file', async () => {
  const lines = Array.from({ length: 50_001 }, (_, at) => good(`line-${at}`));
  expect((await checked(lines.join('\n'))).problems).toEqual([['too_many_tasks', null]]);
  expect((await checked(lines.slice(1).join('\n'))).problems).toEqual([]);
});
