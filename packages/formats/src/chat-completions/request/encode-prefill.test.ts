import { expect, test } from 'vitest';
import { setPrefill } from './encode-request.ts';
import { defaultQuirks } from '../quirks.ts';

const question = { role: 'user', content: 'Count.' };

test.each([
  ['none', { role: 'assistant', content: 'One, ' }, {}],
  ['prefix', { role: 'assistant', content: 'One, ', prefix: true }, {}],
  ['partial', { role: 'assistant', content: 'One, ', partial: true }, {}],
  [
    'continue_final_message',
    { role: 'assistant', content: 'One, ' },
    { add_generation_prompt: false, continue_final_message: true },
  ],
] as const)('in the style %s, the prefill is added as the last message', (prefixStyle, last, more) => {
  const sent = { messages: [question], temperature: 0 };
  const fields = new Map<string, unknown>(Object.entries(sent));
  setPrefill(fields, 'One, ', { ...defaultQuirks, prefixStyle });
  expect(Object.fromEntries(fields)).toEqual({ messages: [question, last], temperature: 0, ...more });
  expect(sent.messages).toEqual([question]);
});
