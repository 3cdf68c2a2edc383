import type { BaseUrls } from '../../api/wire.ts';
import type { AnswerPart } from './answer.ts';
import { type Settings, temperatureOf, toolsOf } from './settings.ts';
import { sourceText } from './source-text.ts';
import { argumentsOf, type PlaygroundMessage } from './turn.ts';

/** The request for the AI SDK, over the chosen surface. */
export function aiSnippet(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
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
