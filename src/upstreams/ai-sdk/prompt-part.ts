import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { AssistantPart, CacheLife, UserPart } from '../../core/chat/message.ts';
import { exactObject, type WireObject } from '../../dialects/wire-value.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { encodeMedia } from './media.ts';

export type PromptOf<Role> = Extract<LanguageModelV4Message, { role: Role }>;

/** Encodes a part of a user turn. Empty text is left out. */
export function userPart(part: UserPart, kind: BridgeKind): PromptOf<'user'>['content'] {
  if (part.type !== 'text') return [{ ...encodeMedia(part, kind.media), ...marked(part.cache, kind) }];
  return part.text === '' ? [] : [{ type: 'text', text: part.text, ...marked(part.cache, kind) }];
}

/** Encodes a part of an assistant turn, if the provider accepts it. */
export function assistantPart(
  part: AssistantPart,
  call: UpstreamCall,
  kind: BridgeKind,
): PromptOf<'assistant'>['content'] {
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

export function marked(cache: CacheLife | undefined, kind: BridgeKind): PartOptions {
  return cache && kind.cacheMark ? { providerOptions: kind.cacheMark(cache) } : {};
}

function signed(signature: string | undefined, { namespace, proofField }: BridgeKind): PartOptions {
  if (signature === undefined || proofField === undefined) return {};
  return { providerOptions: { [namespace]: { [proofField]: signature } } };
}
