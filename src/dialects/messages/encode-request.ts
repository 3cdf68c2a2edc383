import type { ChatRequest } from '../../core/chat-request.ts';
import { spliceMembers } from '../json-splice.ts';

export interface MessagesRequestEncoding {
  /** The model's name at the provider. */
  readonly model: string;
  /** The cap that goes up, whatever the client asked for. */
  readonly maxTokens: number | undefined;
  /** The model's own cap, for clients that name none: the format demands one. */
  readonly maxOutputTokens: number | undefined;
  readonly thinkingCapable: boolean;
  /** How the provider is told to think: by a number of tokens, by letting it decide, or not at all. */
  readonly thinkingStyle: 'budget' | 'adaptive' | 'none';
}

/**
 * The body for a provider's messages endpoint. A client of the same format sees its own text go up, with only the model's
 * name and a lowered cap put in; every other request is built from the core and always streams.
 */
export function encodeMessagesRequest(request: ChatRequest, encoding: MessagesRequestEncoding): string {
  if (request.wire.format === 'messages') return ownText(request, encoding);
  throw new Error('not written yet');
}

/** The body for the same provider's token counting endpoint. */
export function encodeCountTokens(request: ChatRequest, { model }: { readonly model: string }): string {
  if (request.wire.format === 'messages') return ownText(request, { model, maxTokens: undefined });
  throw new Error('not written yet');
}

function ownText(request: ChatRequest, encoding: Pick<MessagesRequestEncoding, 'model' | 'maxTokens'>): string {
  const { body, text = JSON.stringify(body) } = request.wire;
  const values = new Map([['model', JSON.stringify(encoding.model)]]);
  const { maxTokens } = encoding;
  if (maxTokens !== undefined && maxTokens !== body.max_tokens) values.set('max_tokens', String(maxTokens));
  return spliceMembers(text, values);
}
