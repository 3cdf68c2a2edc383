import { firstCapable } from '../capable.ts';
import { check, group } from '../check.ts';
import { type ChatStream, choicesOf, finishReasonOf } from '../chat-stream.ts';
import type { Context } from '../context.ts';
import { at, isCount, isObject, isText, listAt, parsed } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { toolCallsOf } from '../tool-calls.ts';
import { describe, show } from '../wording.ts';

const weather = tool('get_weather', 'Current weather of a city.');
const time = tool('get_local_time', 'Current local time of a city.');
const tools = [weather, time];
const question = { role: 'user', content: 'What is the weather in Oslo right now? Use the get_weather tool.' };
const weatherRequest = { messages: [question], tools, max_tokens: 400 };

export const toolCalling = group('tools', 'Tool calls', [
  check('call', 'A tool call has an id, the type function and the name of a tool in the request', async (context) => {
    const { stream } = await toolCallingModel(context);
    for (const call of toolCallsOf(stream)) {
      expectThat(isText(call.id), 'a call with an id', show(call));
      expectThat(call.type === 'function', 'a call of the type "function"', show(call));
      expectThat(call.name === 'get_weather' || call.name === 'get_local_time', 'the name of a given tool', show(call));
    }
  }),
  check('fragments', 'Every fragment of a tool call has the index of its call', async (context) => {
    const { stream } = await toolCallingModel(context);
    const fragments = choicesOf(stream).flatMap((choice) => listAt(choice, 'delta', 'tool_calls'));
    const stray = fragments.find((fragment) => !isCount(at(fragment, 'index')));
    expectThat(stray === undefined, 'an integer index on every fragment', show(stray));
  }),
  check('arguments', 'The joined arguments are a JSON object', async (context) => {
    const { stream } = await toolCallingModel(context);
    for (const call of toolCallsOf(stream)) {
      expectThat(isObject(parsed(call.arguments)), 'arguments that are a JSON object', show(call));
    }
  }),
  check('finish', 'An answer that calls tools finishes with tool_calls', async (context) => {
    const reason = finishReasonOf((await toolCallingModel(context)).stream);
    expectThat(reason === 'tool_calls', 'finish_reason "tool_calls"', show(reason));
  }),
  check('follow-up', 'A tool result is accepted with the id of its call', async (context) => {
    const { model, stream } = await toolCallingModel(context);
    const calls = toolCallsOf(stream);
    const replay = calls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    }));
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '{"celsius":7}' }));
    const messages = [question, { role: 'assistant', content: null, tool_calls: replay }, ...results];
    await context.chat({ model, tools, messages, max_tokens: 400 });
  }),
  check('none', 'With tool_choice none no tool is called', async (context) => {
    const { model } = await toolCallingModel(context);
    const stream = await context.attempt({ ...weatherRequest, model, tool_choice: 'none' });
    const calls = toolCallsOf(stream);
    expectThat(calls.length === 0 && finishReasonOf(stream) !== 'tool_calls', 'no tool call', show(calls));
  }),
  check('required', 'With tool_choice required at least one tool is called', async (context) => {
    const { model } = await toolCallingModel(context);
    const messages = [{ role: 'user', content: 'Say hello.' }];
    const stream = await context.attempt({ ...weatherRequest, messages, model, tool_choice: 'required' });
    expectThat(toolCallsOf(stream).length > 0, 'a tool call', `none in ${describe(stream.reply)}`);
  }),
  check('forced', 'A function named in tool_choice is called', async (context) => {
    const { model } = await toolCallingModel(context);
    const choice = { type: 'function', function: { name: 'get_local_time' } };
    const names = toolCallsOf(await context.attempt({ ...weatherRequest, model, tool_choice: choice })).map(
      (call) => call.name,
    );
    const isValid = names.length > 0 && names.every((name) => name === 'get_local_time');
    expectThat(isValid, 'only calls of get_local_time', show(names));
  }),
]);

/** A model that calls a tool, and its answer. Tries several models, first with tool_choice unset, then `required`. */
async function toolCallingModel(context: Context): Promise<{ readonly model: string; readonly stream: ChatStream }> {
  const calls = (stream: ChatStream) => toolCallsOf(stream).length > 0;
  const found =
    (await firstCapable(context, weatherRequest, calls)) ??
    (await firstCapable(context, { ...weatherRequest, tool_choice: 'required' }, calls));
  return found ?? skip(`no tool call came from ${context.candidates.join(', ')}`);
}

function tool(name: string, description: string) {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  return { type: 'function', function: { name, description, parameters } };
}
