import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Message, TextPart, UserPart } from '../../core/chat/message.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { append } from '../../dialects/append.ts';
import { makeAnswerable } from '../../dialects/answerable.ts';
import { assistantPart, marked, type PromptOf, userPart } from './prompt-part.ts';
import { attachments, toolResult } from './tool-result.ts';

/** Encodes the conversation for the provider packages. */
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
