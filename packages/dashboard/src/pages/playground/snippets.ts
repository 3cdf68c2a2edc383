import type { SnippetTool } from 'chat-formats/snippets/snippet.ts';
import type { BaseUrls } from '../../api/wire.ts';
import type { Snippet } from '../../components/code-block.tsx';
import { codeSnippet } from '../../components/model-snippets.ts';
import { type AnswerPart, argumentsOf, type PlaygroundMessage } from './answer.ts';
import { type Settings, type Surface, temperatureOf, toolsOf } from './settings.ts';
import { surfaces } from './surfaces.ts';

/** The request as code. The key is read from `GATEWAY_KEY` and never written into the code. */
export function snippetsOf(
  settings: Settings,
  messages: readonly PlaygroundMessage[],
  baseUrls: BaseUrls,
): readonly Snippet[] {
  const { model, surface } = settings;
  const code = (tool: SnippetTool, endpoint: Surface, body: object = surfaces[endpoint].body(settings, messages)) =>
    codeSnippet(tool, { baseUrls }, { endpoint, model, body });
  const openai = surface === 'messages' ? 'chat' : surface;
  return [
    code('curl', surface),
    code('openai (Python)', openai),
    code('openai (TypeScript)', openai),
    code('anthropic (Python)', 'messages'),
    code('anthropic (TypeScript)', 'messages'),
    code('AI SDK', surface, streamTextOptions(settings, messages)),
  ];
}

/** The options of `streamText` in the AI SDK. */
function streamTextOptions(settings: Settings, messages: readonly PlaygroundMessage[]): object {
  const tools = toolsOf(settings);
  return {
    system: settings.system || undefined,
    messages: messages.map(messageOf),
    maxOutputTokens: settings.maxTokens,
    temperature: temperatureOf(settings),
    stopSequences: settings.stop.length > 0 ? settings.stop : undefined,
    tools: tools.length > 0 ? tools : undefined,
    providerOptions: providerOptions(settings),
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

function providerOptions({ surface, thinking, effort }: Settings): object | undefined {
  const chosen = effort && thinking !== 'off' ? effort : undefined;
  if (thinking === 'default' && chosen === undefined) return undefined;
  if (surface === 'responses') return { openai: { reasoningEffort: thinking === 'off' ? 'none' : (chosen ?? 'high') } };
  const type = surface === 'chat' ? 'enabled' : 'adaptive';
  const sent = {
    ...(thinking !== 'default' && { thinking: { type: thinking === 'on' ? type : 'disabled' } }),
    ...(chosen && (surface === 'chat' ? { reasoningEffort: chosen } : { effort: chosen })),
  };
  return { [surface === 'chat' ? 'gateway' : 'anthropic']: sent };
}
