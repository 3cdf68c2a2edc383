import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { AssistantPart, CacheLife, Message, UserPart } from '../../core/message.ts';
import { textOf } from '../../core/message.ts';
import { invalidRequest } from '../../dialects/invalid-request.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { encodeMedia } from './media.ts';
import { unsupported } from './unsupported.ts';

/** The conversation in the words of the provider packages. */
export function encodePrompt(call: UpstreamCall, kind: BridgeKind): LanguageModelV4Prompt {
  const { messages } = call.request;
  const calls = toolNames(messages);
  const prompt: LanguageModelV4Message[] = [];
  messages.forEach((message, index) => {
    switch (message.role) {
      case 'system':
        prompt.push(...systemMessages(message, kind));
        break;
      case 'user':
        prompt.push({ role: 'user', content: message.content.flatMap((part) => userPart(part, kind)) });
        break;
      case 'assistant':
        prompt.push({ role: 'assistant', content: message.content.flatMap((part) => assistantPart(part, call, kind)) });
        break;
      case 'tool':
        addToolResult(prompt, toolResult(message, calls.get(message.toolCallId), index, kind));
        break;
      default:
        message satisfies never;
    }
  });
  return kind.hasSystemBlocks ? systemFirst(prompt) : prompt;
}

type SystemMessage = Extract<Message, { role: 'system' }>;
type ToolMessage = Extract<Message, { role: 'tool' }>;
type PromptOf<Role> = Extract<LanguageModelV4Message, { role: Role }>;

/** Results do not say which tool they come from, and some providers must be told. */
function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [],
  );
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function systemMessages({ content }: SystemMessage, kind: BridgeKind): PromptOf<'system'>[] {
  if (!kind.hasSystemBlocks) return [{ role: 'system', content: content.map(({ text }) => text).join('\n') }];
  return content
    .filter(({ text }) => text !== '')
    .map(({ text, cache }) => ({ role: 'system', content: text, ...marked(cache, kind) }));
}

/** Where the system prompt stands apart from the conversation, what is said later in it belongs there too. */
function systemFirst(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const isSystem = ({ role }: LanguageModelV4Message): boolean => role === 'system';
  return [...prompt.filter(isSystem), ...prompt.filter((message) => !isSystem(message))];
}

function userPart(part: UserPart, kind: BridgeKind): PromptOf<'user'>['content'] {
  if (part.type !== 'text') return [{ ...encodeMedia(part, kind.media), ...marked(part.cache, kind) }];
  return part.text === '' ? [] : [{ type: 'text', text: part.text, ...marked(part.cache, kind) }];
}

function assistantPart(part: AssistantPart, call: UpstreamCall, kind: BridgeKind): PromptOf<'assistant'>['content'] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...marked(part.cache, kind) }];
    case 'reasoning': {
      const proof = proven(part.signature, kind);
      const goesUp = proof.providerOptions !== undefined || (kind.replaysThoughts === 'all' && call.thinking);
      return goesUp ? [{ type: 'reasoning', text: part.text, ...proof }] : [];
    }
    case 'redacted-reasoning':
      if (kind.replaysThoughts !== 'signed') return [];
      return [{ type: 'reasoning', text: '', providerOptions: { [kind.namespace]: { redactedContent: part.data } } }];
    case 'tool-call': {
      const options = { ...marked(part.cache, kind).providerOptions, ...proven(part.signature, kind).providerOptions };
      return [
        {
          type: 'tool-call',
          toolCallId: part.id,
          toolName: part.name,
          input: parsed(part.arguments),
          ...(Object.keys(options).length > 0 && { providerOptions: options }),
        },
      ];
    }
    default:
      return part satisfies never;
  }
}

/** Models write arguments as they please; what is no JSON goes back as the text it was. */
function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toolResult(
  message: ToolMessage,
  toolName: string | undefined,
  index: number,
  kind: BridgeKind,
): LanguageModelV4ToolResultPart {
  if (toolName === undefined) {
    throw invalidRequest([
      { path: ['messages', index, 'tool_call_id'], rule: 'must name a call of an earlier message' },
    ]);
  }
  const { toolCallId, cache } = message;
  return { type: 'tool-result', toolCallId, toolName, output: toolOutput(message, kind), ...marked(cache, kind) };
}

function toolOutput({ content, isError }: ToolMessage, kind: BridgeKind): LanguageModelV4ToolResultPart['output'] {
  if (content.every(({ type }) => type === 'text')) {
    return { type: isError ? 'error-text' : 'text', value: textOf(content) };
  }
  if (!kind.media.inToolResults) {
    throw unsupported('A picture or document in the result of a tool', 'Send it in a user message.');
  }
  return { type: 'content', value: content.map((part) => resultPart(part, kind)) };
}

type ResultContent = Extract<LanguageModelV4ToolResultPart['output'], { type: 'content' }>['value'];

function resultPart(part: UserPart, kind: BridgeKind): ResultContent[number] {
  if (part.type === 'text') return { type: 'text', text: part.text };
  // Packages would fetch an address in a result themselves, past every guard.
  const rules = { ...kind.media, imageUrl: false, pdfUrl: false, audio: undefined, textDocument: 'words' } as const;
  const { providerOptions: _, ...encoded } = encodeMedia(part, rules);
  return encoded;
}

/** The results of calls made at once belong into one turn. */
function addToolResult(prompt: LanguageModelV4Message[], part: LanguageModelV4ToolResultPart): void {
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(part);
  else prompt.push({ role: 'tool', content: [part] });
}

type Options = Pick<LanguageModelV4Message, 'providerOptions'>;

function marked(cache: CacheLife | undefined, kind: BridgeKind): Options {
  return cache && kind.cacheMark ? { providerOptions: kind.cacheMark(cache) } : {};
}

function proven(signature: string | undefined, { namespace, proofField }: BridgeKind): Options {
  if (signature === undefined || proofField === undefined) return {};
  return { providerOptions: { [namespace]: { [proofField]: signature } } };
}
