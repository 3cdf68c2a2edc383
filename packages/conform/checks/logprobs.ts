import { firstCapable } from '../capable.ts';
import { check, group } from '../check.ts';
import { type ChatStream, choicesOf } from '../chat-stream.ts';
import type { Context } from '../context.ts';
import { at, isCount, listAt } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { show } from '../wording.ts';

export const logprobs = group('logprobs', 'Log probabilities', [
  check('null', 'logprobs is null unless it was requested', async ({ chat }) => {
    const invalid = choicesOf(await chat({ stream: true })).find((choice) => at(choice, 'logprobs') !== null);
    expectThat(invalid === undefined, 'logprobs null on every choice', show(invalid));
  }),
  check('false', 'logprobs: false is the same as no logprobs field', async ({ chat }) => {
    const invalid = choicesOf(await chat({ logprobs: false })).find((choice) => at(choice, 'logprobs') !== null);
    expectThat(invalid === undefined, 'logprobs null on every choice', show(invalid));
  }),
  check('content', 'If requested, logprobs has a list of records of the output', async (context) => {
    const { stream } = await modelWithLogprobs(context);
    for (const choice of choicesOf(stream)) {
      const value = at(choice, 'logprobs');
      if (value === null) continue;
      expectThat(Array.isArray(at(value, 'content')), 'logprobs.content to be a list', show(value));
      const reasoning = at(value, 'reasoning_content') ?? null;
      expectThat(
        reasoning === null || Array.isArray(reasoning),
        'logprobs.reasoning_content to be a list or null',
        show(value),
      );
    }
  }),
  check('record', 'A record has the token, its log probability and its bytes', async (context) => {
    for (const record of recordsOf((await modelWithLogprobs(context)).stream)) expectToken(record);
  }),
  check('no-alternatives', 'Without top_logprobs a record has no alternatives', async (context) => {
    const invalid = recordsOf((await modelWithLogprobs(context)).stream).find(
      (record) => listAt(record, 'top_logprobs').length > 0,
    );
    expectThat(invalid === undefined, 'no alternatives', show(invalid));
  }),
  check('alternatives', 'With top_logprobs a record has the requested number of alternatives', async (context) => {
    const count = 3;
    const { model } = await modelWithLogprobs(context);
    const records = recordsOf(await context.attempt({ model, logprobs: true, top_logprobs: count }));
    const lists = records.map((record) => listAt(record, 'top_logprobs'));
    const longest = Math.max(0, ...lists.map((list) => list.length));
    expectThat(longest === count, `${count} alternatives`, `${longest} in ${show(records[0])}`);
    for (const alternative of lists.flat()) expectToken(alternative);
  }),
]);

/** A model that returns log probabilities, and its answer. */
async function modelWithLogprobs(context: Context): Promise<{ readonly model: string; readonly stream: ChatStream }> {
  const found = await firstCapable(context, { logprobs: true }, (stream) => recordsOf(stream).length > 0);
  return found ?? skip(`no logprobs came from ${context.candidates.join(', ')}`);
}

function recordsOf(stream: ChatStream): readonly unknown[] {
  return choicesOf(stream).flatMap((choice) => [
    ...listAt(choice, 'logprobs', 'content'),
    ...listAt(choice, 'logprobs', 'reasoning_content'),
  ]);
}

function expectToken(record: unknown): void {
  expectThat(typeof at(record, 'token') === 'string', 'token to be a string', show(record));
  const logprob = at(record, 'logprob');
  expectThat(typeof logprob === 'number' && logprob <= 0, 'logprob to be a number of at most 0', show(record));
  const bytes = at(record, 'bytes');
  const isValid = bytes === null || (Array.isArray(bytes) && bytes.every((byte) => isCount(byte) && byte < 256));
  expectThat(isValid, 'bytes to be a list of bytes or null', show(record));
}
