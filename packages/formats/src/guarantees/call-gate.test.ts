import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualFlow, CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import { unreportedUsage } from '../chat/usage.ts';
import type { StreamEvent } from '../chat/stream-event.ts';
import { ConstraintViolation } from './constraint-violation.ts';
import { CallGate, type CallTerms } from './call-gate.ts';
import type { CheckedSchema } from './checked-schema.ts';
import { validateAndRepair } from './validate-and-repair.ts';
import { schemaCompiler } from './validator.ts';

const finish = (reason: 'stop' | 'tool-calls' | 'length', choice = 0): StreamEvent => ({
  type: 'finish',
  choice,
  reason,
  raw: reason,
});
const start = (name: string, call = 0): StreamEvent => ({
  type: 'tool-call-start',
  choice: 0,
  call,
  id: `id${call}`,
  name,
});
const argue = (text: string, call = 0): StreamEvent => ({ type: 'tool-call-delta', choice: 0, call, arguments: text });
const usage: StreamEvent = {
  type: 'usage',
  usage: { ...unreportedUsage, promptTokens: 3, completionTokens: 4, source: 'upstream' },
};

/** Allows only objects with a number `n` and nothing else. */
const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false };
const validator = schemaCompiler()(schema);
const numbered: CheckedSchema = { validate: (text) => Promise.resolve(validateAndRepair(text, validator)) };
const strict = new Map([['strict', numbered]]);

function opened(terms: Partial<CallTerms>) {
  const provider = new ManualFlow();
  const client = new CollectingSink();
  new CallGate(provider, { choices: 1, ...terms }).start(client);
  const emit = (...batch: StreamEvent[]): void => provider.sink?.events(batch);
  const end = async (): Promise<void> => {
    provider.sink?.end();
    await expect.poll(() => client.endings, { message: 'the answer ends', interval: 1 }).toHaveLength(1);
  };
  const passed = () => client.batches.flat();
  return { provider, client, emit, end, passed };
}

function violationOf(client: CollectingSink): ConstraintViolation {
  const [ending] = client.endings;
  const error = typeof ending === 'object' ? ending.error : undefined;
  if (!(error instanceof ConstraintViolation)) throw new Error(`no violation but ${String(ending)}`);
  return error;
}

test('arguments of a strict tool are held until they are complete, and are sent in one piece', async () => {
  const { emit, end, passed, client } = opened({ strict });
  emit(textDelta('first'), start('strict'), argue('{"n"'));
  expect(passed()).toEqual([textDelta('first')]);
  emit(argue(': 1}'), finish('tool-calls'), usage);
  await end();
  expect(passed().slice(1)).toEqual([start('strict'), argue('{"n": 1}'), finish('tool-calls'), usage]);
  expect(client.endings).toEqual(['end']);
});

test('arguments of other tools are streamed', async () => {
  const { emit, passed } = opened({ strict });
  emit(start('loose'), argue('{"n"'));
  emit(argue(': broken'));
  expect(passed()).toEqual([start('loose'), argue('{"n"'), argue(': broken')]);
});

test.each([
  ['a number written as text', '{"n":"5"}', '{"n":5}'],
  ['a trailing comma', '{"n":5,}', '{"n":5}'],
  ['a bracket left open', '{"n":5', '{"n":5}'],
  ['arguments encoded twice', '"{\\"n\\":5}"', '{"n":5}'],
])('%s is repaired and recorded as an anomaly', async (_, said, meant) => {
  const { emit, end, passed } = opened({ strict });
  emit(start('strict'), argue(said), finish('tool-calls'));
  await end();
  expect(passed()).toEqual([
    start('strict'),
    argue(meant),
    { type: 'anomaly', what: 'tool-call arguments repaired' },
    finish('tool-calls'),
  ]);
});

test('arguments that do not fit are a violation, with no strict call sent and the usage known', async () => {
  const { emit, end, passed, client, provider } = opened({ strict });
  emit(textDelta('So: '), start('strict'), argue('{"n":1}'), start('strict', 1), argue('{"n":', 1));
  emit(argue('"many"}', 1), finish('tool-calls'));
  expect(client.endings).toEqual([]);
  emit(usage);
  await end();
  expect(passed()).toEqual([textDelta('So: ')]);
  const error = violationOf(client);
  expect([error.constraint, error.canBeReprompted, error.answer.sent]).toEqual([
    'strict',
    true,
    { reasoning: false, text: true, calls: false },
  ]);
  expect(error.words).toMatch('`strict` do not fit its parameters: /n must be number');
  expect(error.answer.output).toEqual([
    { type: 'text', text: 'So: ' },
    { type: 'tool-call', id: 'id0', name: 'strict', arguments: '{"n":1}', signature: undefined },
    { type: 'tool-call', id: 'id1', name: 'strict', arguments: '{"n":"many"}', signature: undefined },
  ]);
  expect(error.answer.usage?.completionTokens).toBe(4);
  expect(provider.isCancelled).toBe(false);
});

test('the model cannot be re-prompted once a call was sent', async () => {
  const { emit, end, client } = opened({ strict });
  emit(start('loose'), argue('{}'));
  emit(start('strict', 1), argue('[]', 1), finish('tool-calls'));
  await end();
  expect([violationOf(client).canBeReprompted, violationOf(client).answer.sent.calls]).toEqual([false, true]);
});

test('a strict call that was cut off with its answer is left out', async () => {
  const { emit, end, passed } = opened({ strict });
  emit(start('strict'), argue('{"n":1}'), start('strict', 1), argue('{"n"', 1), finish('length'));
  await end();
  expect(passed()).toEqual([start('strict'), argue('{"n":1}'), finish('length')]);
});

test('events after a strict call are held and keep their order', async () => {
  const { emit, end, passed } = opened({ strict });
  const reasoning: StreamEvent = { type: 'reasoning-delta', choice: 0, text: 'hm' };
  emit(start('strict'), argue('{"n":1}'), reasoning, start('loose', 1), argue('{}', 1), textDelta('done'));
  expect(passed()).toEqual([]);
  emit(finish('tool-calls'));
  await end();
  expect(passed()).toEqual([
    start('strict'),
    argue('{"n":1}'),
    reasoning,
    start('loose', 1),
    argue('{}', 1),
    textDelta('done'),
    finish('tool-calls'),
  ]);
});

test('if a call is required, the text before it is held, and reasoning is not', async () => {
  const { emit, passed } = opened({ toolChoice: 'required' });
  const reasoning: StreamEvent = { type: 'reasoning-delta', choice: 0, text: 'hm' };
  emit(reasoning, textDelta('I will.'));
  expect(passed()).toEqual([reasoning]);
  emit(start('any'));
  expect(passed()).toEqual([reasoning, textDelta('I will.'), start('any')]);
});

test.each(['required', { name: 'wanted' }] as const)(
  'an answer without the call that %j requires is a violation',
  async (toolChoice) => {
    const { emit, end, client, passed } = opened({ toolChoice });
    emit(textDelta('It is sunny.'), finish('stop'));
    await end();
    expect([passed(), violationOf(client).constraint, violationOf(client).canBeReprompted]).toEqual([
      [],
      'tool_choice',
      true,
    ]);
    expect(violationOf(client).words).toMatch(toolChoice === 'required' ? 'at least one' : '`wanted`');
  },
);

test('an answer that was cut off before its call passes unchanged', async () => {
  const { emit, end, client, passed } = opened({ toolChoice: 'required' });
  emit(textDelta('It is'), finish('length'));
  await end();
  expect([passed(), client.endings]).toEqual([[textDelta('It is'), finish('length')], ['end']]);
});

test('endless text instead of a required call ends at a limit, and the provider is cancelled', async () => {
  const { emit, client, provider } = opened({ toolChoice: 'required' });
  emit(textDelta('a'.repeat(64 * 1024)));
  expect(client.endings).toEqual([]);
  emit(textDelta('a'));
  expect([violationOf(client).constraint, provider.isCancelled]).toEqual(['tool_choice', true]);
});

test('only calls of the required function pass, with new numbers', async () => {
  const { emit, end, passed, client } = opened({ toolChoice: { name: 'wanted' } });
  emit(start('other'), argue('{}'), start('wanted', 1), argue('{"a":1}', 1), start('other', 2), finish('tool-calls'));
  await end();
  expect(passed().filter(({ type }) => type !== 'anomaly')).toEqual([
    { ...start('wanted'), id: 'id1' },
    argue('{"a":1}'),
    finish('tool-calls'),
  ]);
  expect(client.endings).toEqual(['end']);
});

test('if no call is allowed, calls are dropped, and an answer of only calls is a violation', async () => {
  const { emit, end, passed } = opened({ toolChoice: 'none' });
  emit(textDelta('Sunny.'), start('any'), argue('{}'), finish('tool-calls'));
  await end();
  expect(passed().filter(({ type }) => type !== 'anomaly')).toEqual([textDelta('Sunny.'), finish('stop')]);
  const silent = opened({ toolChoice: 'none' });
  silent.emit(start('any'), argue('{}'), finish('tool-calls'));
  await silent.end();
  expect([violationOf(silent.client).constraint, violationOf(silent.client).canBeReprompted]).toEqual([
    'tool_choice',
    true,
  ]);
});

test('only the first call passes if parallel calls are disabled', async () => {
  const { emit, end, passed } = opened({ isSingle: true });
  emit(start('any'), argue('{}'), start('any', 1), argue('{}', 1), finish('tool-calls'));
  await end();
  expect(passed().filter(({ type }) => type !== 'anomaly')).toEqual([start('any'), argue('{}'), finish('tool-calls')]);
});

test('if the provider fails, held events are dropped and the error is passed on', async () => {
  const { emit, passed, client, provider } = opened({ strict });
  emit(start('strict'), argue('{"n"'));
  const error = new Error('gone');
  provider.sink?.fail(error);
  expect([passed(), client.endings]).toEqual([[], [{ error }]]);
});

/** Reference implementation: the calls of one name with complete arguments, or a violation. */
function expectedCalls(
  calls: readonly (readonly [string, string])[],
  wanted: string | undefined,
): readonly string[] | 'broken' {
  const meant = calls.filter(([name]) => wanted === undefined || name === wanted);
  const passed = meant.map(([name, text]) => (name === 'strict' ? validateAndRepair(text, validator).json : text));
  if ((wanted !== undefined && meant.length === 0) || passed.includes(undefined)) return 'broken';
  return passed.map((text, at) => `${meant[at]?.[0]} ${text}`);
}

test('calls in any pieces and batches give the result of the reference implementation', async () => {
  const calls = fc.array(
    fc.tuple(
      fc.constantFrom('strict', 'loose'),
      fc.constantFrom('{"n":1}', '{"n":"2"}', '{"n": 3,}', '{"m":4}', '{"n"'),
    ),
    { maxLength: 4 },
  );
  const wanted = fc.constantFrom(undefined, 'strict', 'loose');
  await fc.assert(
    fc.asyncProperty(calls, wanted, fc.array(fc.nat(4), { minLength: 1 }), async (made, name, sizes) => {
      const { emit, end, passed, client } = opened({ strict, toolChoice: name === undefined ? 'auto' : { name } });
      const events = made.flatMap(([tool, text], call) => [
        start(tool, call),
        ...[...text].map((character) => argue(character, call)),
      ]);
      const said = [textDelta('So:'), ...events, finish('tool-calls')];
      for (let at = 0, index = 0; at < said.length; index++) {
        const size = (sizes[index % sizes.length] ?? 0) + 1;
        emit(...said.slice(at, at + size));
        at += size;
      }
      await end();
      const out = new Map<number, string>();
      for (const event of passed()) {
        if (event.type === 'tool-call-start') out.set(event.call, `${event.name} `);
        if (event.type === 'tool-call-delta') out.set(event.call, `${out.get(event.call)}${event.arguments}`);
      }
      const expected = expectedCalls(made, name);
      if (expected === 'broken') expect(violationOf(client).constraint).toMatch(/strict|tool_choice/);
      else
        expect([[...out.keys()], [...out.values()], client.endings]).toEqual([[...expected.keys()], expected, ['end']]);
    }),
  );
});
