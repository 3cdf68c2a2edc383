import { check, group } from '../check.ts';
import { type ChatStream, contentOf, finishReasonOf, usageOf } from '../chat-stream.ts';
import type { Context } from '../context.ts';
import { isObject, parsed } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { show } from '../wording.ts';

const counting = {
  messages: [{ role: 'user', content: 'Count from one to twenty in English words, separated by spaces.' }],
  max_tokens: 400,
};

export const generation = group('generation', 'Effect of fields on the output', [
  check('stop-string', 'A stop sequence is not in the output', async (context) => {
    const stop = await wordInAnswer(context);
    expectWithout(await context.attempt({ ...counting, stop }), stop);
  }),
  check('stop-list', 'None of several stop sequences is in the output', async (context) => {
    const word = await wordInAnswer(context);
    expectWithout(await context.attempt({ ...counting, stop: ['zzz', word] }), word);
  }),
  check('max-tokens', 'max_tokens limits the output', async ({ attempt }) => {
    const cap = 5;
    const { completion_tokens } = usageOf(await attempt({ ...counting, max_tokens: cap }));
    expectThat(Number(completion_tokens) <= cap, `at most ${cap} completion_tokens`, show(completion_tokens));
  }),
  check('json-object', 'With response_format json_object the text is a JSON object', async ({ attempt }) => {
    const content = 'Answer with a JSON object that has one field "greeting".';
    const messages = [{ role: 'user', content }];
    const stream = await attempt({ messages, max_tokens: 400, response_format: { type: 'json_object' } });
    if (finishReasonOf(stream) === 'length') skip('max_tokens truncated the answer');
    const text = contentOf(stream);
    expectThat(isObject(parsed(text)), 'text that is a JSON object', show(text));
  }),
]);

/** A word from the middle of an answer without `stop`. The model probably repeats it: a good stop sequence. */
async function wordInAnswer({ attempt }: Context): Promise<string> {
  const words = contentOf(await attempt(counting)).match(/\p{L}{2,}/gu) ?? [];
  return words[Math.floor(words.length / 2)] ?? skip('the answer has no word to use as a stop sequence');
}

function expectWithout(stream: ChatStream, stop: string): void {
  const text = contentOf(stream);
  expectThat(!text.includes(stop), `text without the stop sequence "${stop}"`, show(text));
}
