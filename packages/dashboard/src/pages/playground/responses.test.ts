import { describe, expect, it } from 'vitest';
import { emptyAnswer, type PlaygroundAnswer } from './answer.ts';
import { readResponses, responsesBody } from './responses-surface.ts';
import { firstSettings } from './settings.ts';

const read = (events: readonly object[]) =>
  events.reduce<PlaygroundAnswer>((answer, event) => readResponses(answer, JSON.stringify(event)), emptyAnswer);

describe('the responses surface', () => {
  it('is read to its end', () => {
    const response = { id: 'resp_1', model: 'm', status: 'completed', usage: { input_tokens: 3, output_tokens: 2 } };
    const answer = read([
      { type: 'response.created', response: { id: 'resp_1', model: 'm' } },
      { type: 'response.reasoning_summary_text.delta', delta: 'hm' },
      { type: 'response.output_text.delta', delta: 'Hi ' },
      { type: 'response.output_text.delta', delta: 'there' },
      { type: 'response.output_item.added', item: { type: 'function_call', call_id: 'c', name: 'f' } },
      { type: 'response.function_call_arguments.delta', delta: '{}' },
      { type: 'response.completed', response },
    ]);
    expect(readResponses(answer, '[DONE]')).toMatchObject({
      id: 'resp_1',
      parts: [
        { kind: 'thinking', text: 'hm' },
        { kind: 'text', text: 'Hi there' },
        { kind: 'call', id: 'c', name: 'f', arguments: '{}' },
      ],
      finish: 'completed',
      usage: { promptTokens: 3, completionTokens: 2 },
      isComplete: true,
    });
  });

  it('returns the error', () => {
    const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'no' } } };
    expect(read([failed]).error).toEqual({ code: 'server_error', message: 'no' });
  });

  it('encodes a conversation as items', () => {
    const call = { kind: 'call', id: 'c', name: 'f', arguments: '{}' } as const;
    const body = responsesBody({ ...firstSettings, model: 'm', system: 'Be brief', maxTokens: 9 }, [
      { role: 'user', text: 'hello' },
      { role: 'assistant', parts: [{ kind: 'text', text: 'wait' }, call] },
      { role: 'tool', results: [{ callId: 'c', name: 'f', content: 'done' }] },
    ]);
    expect(body).toEqual({
      model: 'm',
      instructions: 'Be brief',
      input: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'wait' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'done' },
      ],
      stream: true,
      store: false,
      max_output_tokens: 9,
    });
  });
});
