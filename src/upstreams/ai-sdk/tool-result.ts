import type { LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { type Message, paragraphsOf, type UserPart } from '../../core/chat/message.ts';
import { invalidRequest } from '../../dialects/invalid-request.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { encodeMedia } from './media.ts';
import { marked } from './prompt-part.ts';
import { unsupported } from './unsupported.ts';

type ToolMessage = Extract<Message, { role: 'tool' }>;

/** Encodes the result of a tool, with the name of the tool. */
export function toolResult(
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

/**
 * Returns the media of a result if results are text only. They follow in a user turn, below a line with the id of the
 * call.
 */
export function attachments({ toolCallId, content }: ToolMessage, kind: BridgeKind): readonly UserPart[] {
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
