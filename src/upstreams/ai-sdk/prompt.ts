import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import {
  type AssistantPart,
  type CacheLife,
  type Message,
  paragraphsOf,
  type TextPart,
  type UserPart,
} from '../../core/chat/message.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { append } from '../../dialects/append.ts';
import { makeAnswerable } from '../../dialects/answerable.ts';
import { exactObject, type WireObject } from '../../dialects/wire-value.ts';
import { encodeMedia } from './media.ts';
import { invalidRequest } from '../../dialects/invalid-request.ts';
import { unsupported } from './fitted-request.ts';

export function encodePrompt(call: UpstreamCall, kind: BridgeKind): LanguageModelV4Prompt {
  const messages = makeAnswerable(call.request.messages);
  const nameOf = toolNames(messages);
  const prompt: LanguageModelV4Message[] = [];
  let pendingMedia: readonly UserPart[] = [];

  /** Media of tool results are sent before the next turn. */
  function flushMedia(): void {
    if (pendingMedia.length > 0) prompt.push(userTurn(pendingMedia, kind));
    pendingMedia = [];
  }

  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      const last = prompt.at(-1);
      const result = toolResult(message, nameOf.get(message.toolCallId), { at, kind });
      // The results of parallel calls belong in one turn.
      if (last?.role === 'tool') last.content.push(result);
      else prompt.push({ role: 'tool', content: [result] });
      pendingMedia = [...pendingMedia, ...attachments(message, kind)];
    } else {
      flushMedia();
      append(prompt, turns(message, call, { kind, isFirst: prompt.every(({ role }) => role === 'system') }));
    }
  }
  flushMedia();
  return prompt;
}

/** Results do not name their tool, and some providers need the name. */
function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [],
  );
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function turns(
  message: Exclude<Message, { role: 'tool' }>,
  call: UpstreamCall,
  { kind, isFirst }: { readonly kind: BridgeKind; readonly isFirst: boolean },
): readonly LanguageModelV4Message[] {
  switch (message.role) {
    case 'system': {
      const content = labelled(message.content, message.name);
      if (!kind.hasSystemBlocks) return [{ role: 'system', content: content.map(({ text }) => text).join('\n\n') }];
      return isFirst ? systemBlocks(content, kind) : [userTurn(content.map(asInstruction), kind)];
    }
    case 'user':
      return unlessEmpty(userTurn(labelled(message.content, message.name), kind));
    case 'assistant': {
      const content = message.content.flatMap((part) => assistantPart(part, call, kind));
      return unlessEmpty({ role: 'assistant', content });
    }
    default:
      return message satisfies never;
  }
}

/** Leaves out an empty turn: providers refuse it. */
function unlessEmpty<Turn extends PromptOf<'user' | 'assistant'>>(turn: Turn): readonly Turn[] {
  return turn.content.length > 0 ? [turn] : [];
}

function systemBlocks(content: readonly TextPart[], kind: BridgeKind): PromptOf<'system'>[] {
  return content
    .filter(({ text }) => text !== '')
    .map(({ text, cache }) => ({ role: 'system', content: text, ...marked(cache, kind) }));
}

/** If the system prompt is separate from the conversation, a later instruction keeps its position as a user turn. */
function asInstruction(part: TextPart): TextPart {
  return { ...part, text: `<system>\n${part.text}\n</system>` };
}

function userTurn(content: readonly UserPart[], kind: BridgeKind): PromptOf<'user'> {
  return { role: 'user', content: content.flatMap((part) => userPart(part, kind)) };
}

/** Packages have no field for names of participants, so the name is a prefix of the text. */
function labelled<Part extends UserPart>(content: readonly Part[], name: string | undefined): readonly Part[];
function labelled(content: readonly UserPart[], name: string | undefined): readonly UserPart[] {
  const [first, ...rest] = content;
  if (!first || name === undefined || name === '') return content;
  if (first.type !== 'text') return [{ type: 'text', text: `${name}:` }, ...content];
  return [{ ...first, text: `${name}: ${first.text}` }, ...rest];
}

type PromptOf<Role> = Extract<LanguageModelV4Message, { role: Role }>;

function userPart(part: UserPart, kind: BridgeKind): PromptOf<'user'>['content'] {
  if (part.type !== 'text') return [{ ...encodeMedia(part, kind.media), ...marked(part.cache, kind) }];
  return part.text === '' ? [] : [{ type: 'text', text: part.text, ...marked(part.cache, kind) }];
}

/** Encodes a part of an assistant turn, if the provider accepts it. */
function assistantPart(part: AssistantPart, call: UpstreamCall, kind: BridgeKind): PromptOf<'assistant'>['content'] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...marked(part.cache, kind) }];
    case 'reasoning': {
      const proof = signed(part.signature, kind);
      const isSent = proof.providerOptions !== undefined || (kind.replaysReasoning === 'all' && call.thinking);
      return isSent ? [{ type: 'reasoning', text: part.text, ...proof }] : [];
    }
    case 'redacted-reasoning':
      if (kind.replaysReasoning !== 'signed') return [];
      return [{ type: 'reasoning', text: '', providerOptions: { [kind.namespace]: { redactedContent: part.data } } }];
    case 'tool-call': {
      const options = { ...marked(part.cache, kind).providerOptions, ...signed(part.signature, kind).providerOptions };
      return [
        {
          type: 'tool-call',
          toolCallId: kind.toolId?.(part.id) ?? part.id,
          toolName: part.name,
          input: inputOf(part.arguments),
          ...(Object.keys(options).length > 0 && { providerOptions: options }),
        },
      ];
    }
    default:
      return part satisfies never;
  }
}

/** Arguments must be an object. Invalid arguments of an earlier model are wrapped in one unchanged. */
function inputOf(text: string): WireObject {
  if (text.trim() === '') return {};
  return exactObject(text) ?? { raw: text };
}

type PartOptions = Pick<LanguageModelV4Message, 'providerOptions'>;

function marked(cache: CacheLife | undefined, kind: BridgeKind): PartOptions {
  return cache && kind.cacheMark ? { providerOptions: kind.cacheMark(cache) } : {};
}

function signed(signature: string | undefined, { namespace, proofField }: BridgeKind): PartOptions {
  if (signature === undefined || proofField === undefined) return {};
  return { providerOptions: { [namespace]: { [proofField]: signature } } };
}

type ToolMessage = Extract<Message, { role: 'tool' }>;

function toolResult(
  message: ToolMessage,
  toolName: string | undefined,
  { at, kind }: { readonly at: number; readonly kind: BridgeKind },
): LanguageModelV4ToolResultPart {
  if (toolName === undefined) {
    throw invalidRequest([{ path: ['messages', at, 'tool_call_id'], rule: 'must name a call of an earlier message' }]);
  }
  const { toolCallId: id, cache } = message;
  const toolCallId = kind.toolId?.(id) ?? id;
  return { type: 'tool-result', toolCallId, toolName, output: outputOf(message, kind), ...marked(cache, kind) };
}

/** If results are text only, media follow in a user turn, below a line with the id of the call. */
function attachments({ toolCallId, content }: ToolMessage, kind: BridgeKind): readonly UserPart[] {
  const media = content.filter(({ type }) => type !== 'text');
  if (media.length === 0 || kind.media.ofTools !== 'after') return [];
  const id = kind.toolId?.(toolCallId) ?? toolCallId;
  return [{ type: 'text', text: `From the result of the tool call ${id}:` }, ...media];
}

function outputOf({ content, isError }: ToolMessage, kind: BridgeKind): LanguageModelV4ToolResultPart['output'] {
  const hasMedia = content.some(({ type }) => type !== 'text');
  if (hasMedia && kind.media.ofTools === 'none') {
    throw unsupported('A picture or document in the result of a tool', 'Send it in a user message.');
  }
  if (hasMedia && kind.media.ofTools === 'inside') {
    return { type: 'content', value: content.map((part) => resultPart(part, kind)) };
  }
  const text = paragraphsOf(content);
  if (!isError) return { type: 'text', value: text };
  // If results have no form for failures, the text starts with `Error:`, a prefix that models know from logs.
  return { type: 'error-text', value: kind.hasErrorResults ? text : `Error: ${text}` };
}

type ResultContent = Extract<LanguageModelV4ToolResultPart['output'], { type: 'content' }>['value'];

function resultPart(part: UserPart, kind: BridgeKind): ResultContent[number] {
  if (part.type === 'text') return { type: 'text', text: part.text };
  // Packages would fetch an address in a result themselves, past every guard.
  const rules = { ...kind.media, addresses: [], audio: undefined, textDocument: 'words' } as const;
  const { providerOptions: _, ...encoded } = encodeMedia(part, rules);
  return encoded;
}
