import type { BaseUrls } from '../../api/wire.ts';
import type { Snippet } from '../../components/code-block.tsx';
import {
  aiProgram,
  anthropicProgram,
  anthropicPython,
  curlProgram,
  openaiProgram,
  openaiPython,
  snippetNames,
} from '../../snippets/programs.ts';
import { sourceText } from '../../snippets/source-text.ts';
import { type AnswerPart, argumentsOf, type PlaygroundMessage } from './answer.ts';
import { chatBody } from './chat-surface.ts';
import { messagesBody } from './messages-surface.ts';
import { responsesBody } from './responses-surface.ts';
import { type Settings, temperatureOf, toolsOf } from './settings.ts';
import { surfaces } from './surfaces.ts';

/** The request as code. The key is read from `GATEWAY_KEY` and never written into the code. */
export function snippetsOf(
  settings: Settings,
  messages: readonly PlaygroundMessage[],
  baseUrls: BaseUrls,
): readonly Snippet[] {
  const access = { baseUrls };
  const surface = settings.surface === 'responses' ? 'responses' : 'chat';
  const body = surface === 'responses' ? responsesBody(settings, messages) : chatBody(settings, messages);
  const { thinking, ...known } = body;
  const { stream: _, ...messageBody } = messagesBody(settings, messages);
  const { output_config: effort, ...knownMessage } = messageBody;
  // The packages for Python reject unknown arguments; they send `extra_body` unchanged.
  const fields = { ...known, ...(thinking !== undefined && { extra_body: { thinking } }) };
  const messageFields = { ...knownMessage, ...(effort !== undefined && { extra_body: { output_config: effort } }) };
  return [
    { name: 'curl', code: curl(settings, messages, baseUrls) },
    { name: snippetNames.openaiPython, code: openaiPython(access, fields, surface) },
    { name: snippetNames.openai, code: openaiProgram(access, body, surface) },
    { name: snippetNames.anthropicPython, code: anthropicPython(access, messageFields) },
    { name: snippetNames.anthropic, code: anthropicProgram(access, messageBody) },
    { name: snippetNames.ai, code: aiProgram(access, aiRequest(settings, messages)) },
  ];
}

function curl(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const path = settings.surface === 'responses' ? 'responses' : 'chat/completions';
  const lines =
    settings.surface !== 'messages'
      ? [`curl -N ${urls.openai}/${path}`, '-H "Authorization: Bearer $GATEWAY_KEY"']
      : [`curl -N ${urls.anthropic}/v1/messages`, '-H "x-api-key: $GATEWAY_KEY"', '-H "anthropic-version: 2023-06-01"'];
  return curlProgram(lines, surfaces[settings.surface].body(settings, messages), 2);
}

/** The request for the AI SDK, over the chosen surface. */
function aiRequest(settings: Settings, messages: readonly PlaygroundMessage[]) {
  const { surface, model } = settings;
  const options = {
    system: settings.system || undefined,
    messages: messages.map(messageOf),
    maxOutputTokens: settings.maxTokens,
    temperature: temperatureOf(settings),
    stopSequences: settings.stop.length > 0 ? settings.stop : undefined,
  };
  const lines = sourceText(options, '').slice(1, -1).trim().replace(/,$/, '');
  return {
    surface,
    model,
    options: `${lines},${toolLines(settings)}${optionLines(settings)}`,
    uses: toolsOf(settings).length > 0 ? 'jsonSchema, streamText, tool' : 'streamText',
  };
}

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
