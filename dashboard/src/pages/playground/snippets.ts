import type { BaseUrls } from '../../api/wire.ts';
import type { Snippet } from '../../components/code-block.tsx';
import { snippetNames } from '../models/snippets.ts';
import { type AnswerPart, argumentsOf, type PlaygroundMessage } from './answer.ts';
import { chatBody } from './chat-surface.ts';
import { messagesBody } from './messages-surface.ts';
import { responsesBody } from './responses-surface.ts';
import { type Settings, temperatureOf, toolsOf } from './settings.ts';
import { pythonArguments, pythonText, sourceText } from './source-text.ts';
import { surfaces } from './surfaces.ts';

/** The request as code. The key is read from `GATEWAY_KEY` and never written into the code. */
export function snippetsOf(
  settings: Settings,
  messages: readonly PlaygroundMessage[],
  urls: BaseUrls,
): readonly Snippet[] {
  return [
    { name: 'curl', code: curl(settings, messages, urls) },
    { name: snippetNames.openaiPython, code: openaiPython(settings, messages, urls) },
    {
      name: snippetNames.openai,
      code: settings.surface === 'responses' ? responses(settings, messages, urls) : openai(settings, messages, urls),
    },
    { name: snippetNames.anthropicPython, code: anthropicPython(settings, messages, urls) },
    { name: snippetNames.anthropic, code: anthropic(settings, messages, urls) },
    { name: snippetNames.ai, code: aiSnippet(settings, messages, urls) },
  ];
}

function curl(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const body = surfaces[settings.surface].body(settings, messages);
  const path = settings.surface === 'responses' ? 'responses' : 'chat/completions';
  const lines =
    settings.surface !== 'messages'
      ? [`curl -N ${urls.openai}/${path}`, '-H "Authorization: Bearer $GATEWAY_KEY"']
      : [`curl -N ${urls.anthropic}/v1/messages`, '-H "x-api-key: $GATEWAY_KEY"', "-H 'anthropic-version: 2023-06-01'"];
  // In a single-quoted shell string, only the quote itself needs escaping.
  const data = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return [...lines, "-H 'Content-Type: application/json'", `-d '${data}'`].join(' \\\n  ');
}

function openai(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${sourceText(urls.openai)}, apiKey: process.env.GATEWAY_KEY });
const stream = await client.chat.completions.create(${sourceText(chatBody(settings, messages))});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
`;
}

function responses(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${sourceText(urls.openai)}, apiKey: process.env.GATEWAY_KEY });
const stream = await client.responses.create(${sourceText(responsesBody(settings, messages))});
for await (const event of stream) if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
`;
}

function anthropic(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const { stream: _, ...body } = messagesBody(settings, messages);
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${sourceText(urls.anthropic)}, apiKey: process.env.GATEWAY_KEY });
const stream = client.messages.stream(${sourceText(body)});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();
`;
}

/** The request for the `openai` package for Python, over the chosen surface. */
function openaiPython(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const isResponses = settings.surface === 'responses';
  const { thinking, ...known } = isResponses
    ? responsesBody(settings, messages)
    : chatBody({ ...settings, surface: 'chat' }, messages);
  // The package rejects unknown arguments; `extra_body` is sent unchanged.
  const fields = { ...known, ...(thinking !== undefined && { extra_body: { thinking } }) };
  const reading = isResponses
    ? `for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`
    : `for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${pythonText(urls.openai)}, api_key=os.environ["GATEWAY_KEY"])
stream = client.${isResponses ? 'responses' : 'chat.completions'}.create(
${pythonArguments(fields)})
${reading}
`;
}

/** The request for the `anthropic` package for Python. */
function anthropicPython(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const { stream: _, output_config: effort, ...known } = messagesBody(settings, messages);
  const fields = { ...known, ...(effort !== undefined && { extra_body: { output_config: effort } }) };
  return `import os
from anthropic import Anthropic

client = Anthropic(base_url=${pythonText(urls.anthropic)}, api_key=os.environ["GATEWAY_KEY"])
with client.messages.stream(
${pythonArguments(fields)}) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)
`;
}

/** The request for the AI SDK, over the chosen surface. */
function aiSnippet(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const isChat = settings.surface !== 'messages';
  const [maker, name] = makers[settings.surface];
  const tools = toolsOf(settings);
  const options = {
    system: settings.system || undefined,
    messages: messages.map(messageOf),
    maxOutputTokens: settings.maxTokens,
    temperature: temperatureOf(settings),
    stopSequences: settings.stop.length > 0 ? settings.stop : undefined,
  };
  const lines = sourceText(options, '').slice(1, -1).trim().replace(/,$/, '');
  const named = settings.surface === 'chat' ? "name: 'gateway', " : '';
  const provider = isChat
    ? `${maker}({ ${named}baseURL: ${sourceText(urls.openai)}, apiKey: process.env.GATEWAY_KEY })`
    : `createAnthropic({ baseURL: ${sourceText(`${urls.anthropic}/v1`)}, apiKey: process.env.GATEWAY_KEY })`;
  return `import { ${maker} } from '${name}';
import { ${tools.length > 0 ? 'jsonSchema, streamText, tool' : 'streamText'} } from 'ai';

const gateway = ${provider};
const { textStream } = streamText({
  model: gateway(${sourceText(settings.model)}),
  ${lines},${toolLines(settings)}${optionLines(settings)}
});
for await (const text of textStream) process.stdout.write(text);
`;
}

const makers = {
  chat: ['createOpenAICompatible', '@ai-sdk/openai-compatible'],
  messages: ['createAnthropic', '@ai-sdk/anthropic'],
  responses: ['createOpenAI', '@ai-sdk/openai'],
} as const;

function messageOf(message: PlaygroundMessage): object {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'assistant') return { role: 'assistant', content: message.parts.flatMap(partOf) };
  return {
    role: 'tool',
    content: message.results.map(({ callId, name, content }) => ({
      type: 'tool-result',
      toolCallId: callId,
      toolName: name,
      output: { type: 'text', value: content },
    })),
  };
}

function partOf(part: AnswerPart): readonly object[] {
  if (part.kind === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.kind !== 'call') return [];
  return [{ type: 'tool-call', toolCallId: part.id, toolName: part.name, input: argumentsOf(part.arguments) }];
}

function toolLines(settings: Settings): string {
  const tools = toolsOf(settings);
  if (tools.length === 0) return '';
  const lines = tools.map(({ name, description, parameters }) => {
    const about = description === undefined ? '' : `description: ${sourceText(description)}, `;
    return `    ${sourceText(name)}: tool({ ${about}inputSchema: jsonSchema(${sourceText(parameters, '    ')}) }),`;
  });
  return `\n  tools: {\n${lines.join('\n')}\n  },`;
}

function optionLines({ surface, thinking, effort }: Settings): string {
  const chosen = effort && thinking !== 'off' ? effort : undefined;
  if (thinking === 'default' && chosen === undefined) return '';
  if (surface === 'responses') {
    const reasoningEffort = thinking === 'off' ? 'none' : (chosen ?? 'high');
    return `\n  providerOptions: ${sourceText({ openai: { reasoningEffort } }, '  ')},`;
  }
  const type = surface === 'chat' ? 'enabled' : 'adaptive';
  const sent = {
    ...(thinking !== 'default' && { thinking: { type: thinking === 'on' ? type : 'disabled' } }),
    ...(chosen && (surface === 'chat' ? { reasoningEffort: chosen } : { effort: chosen })),
  };
  return `\n  providerOptions: ${sourceText({ [surface === 'chat' ? 'gateway' : 'anthropic']: sent }, '  ')},`;
}
