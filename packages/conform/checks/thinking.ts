import { firstCapable } from '../capable.ts';
import { check, group } from '../check.ts';
import { reasoningOf, usageOf } from '../chat-stream.ts';
import type { Context } from '../context.ts';
import { at } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { show } from '../wording.ts';

const puzzle = {
  messages: [{ role: 'user', content: 'How many letters r are in "strawberry"? Answer with the number.' }],
  max_tokens: 400,
};

export const thinking = group('thinking', 'Reasoning', [
  check('disabled', 'With thinking disabled there is no reasoning_content', async (context) => {
    const model = (await reasoningModel(context))?.model ?? context.candidates[0];
    const reasoning = reasoningOf(await context.attempt({ ...puzzle, model, thinking: { type: 'disabled' } }));
    expectThat(reasoning === '', 'no reasoning_content on any chunk', show(reasoning));
  }),
  check('default', 'A reasoning model reasons unless thinking is disabled', async (context) => {
    const { model } = (await reasoningModel(context)) ?? none(context);
    const reasoning = reasoningOf(await context.attempt({ ...puzzle, model }));
    expectThat(reasoning !== '', `reasoning_content from ${model} without thinking in the request`, 'none');
  }),
  check('counted', 'Reasoning is counted in the usage', async (context) => {
    const { stream } = (await reasoningModel(context)) ?? none(context);
    const counted = at(usageOf(stream), 'completion_tokens_details', 'reasoning_tokens');
    expectThat(Number(counted) > 0, 'reasoning_tokens above 0', show(counted));
  }),
]);

function reasoningModel(context: Context) {
  const enabled = { ...puzzle, thinking: { type: 'enabled' } };
  return firstCapable(context, enabled, (stream) => reasoningOf(stream) !== '');
}

function none(context: Context): never {
  return skip(`no reasoning_content came from ${context.candidates.join(', ')}`);
}
