import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../test/depth.ts';
import type { ChatRequest } from './chat/chat-request.ts';
import { type AssistantPart, type Message, textOf, type UserPart } from './chat/message.ts';
import { makeAnswerable } from './answerable.ts';
import { decodeChatRequest } from './chat-completions/request/decode-request.ts';
import { encodeChatRequest } from './chat-completions/request/encode-request.ts';
import { defaultQuirks } from './chat-completions/quirks.ts';
import { arbitraryRequest } from '../../../test/fixtures/dialects/arbitrary-request.ts';
import { decodeMessagesRequest } from './messages/request/decode-request.ts';
import { encodeMessagesRequest } from './messages/request/encode-request.ts';
import { decodeResponsesRequest } from './responses/request/decode-request.ts';
import { conversationOf } from './responses/request/conversation.ts';
import type { DecodedPiece } from './responses/request/decode-item.ts';
import { encodeResponsesRequest } from './responses/request/encode-request.ts';
import { toSignature } from './responses/reasoning-item.ts';

type MessageOf<Role extends Message['role']> = Extract<Message, { role: Role }>;

/** A copy without cache markers. */
const unmarked = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'cache' ? undefined : inner)));
const marks = (value: unknown): number => JSON.stringify(value).split('"cache":"').length - 1;

/** The content of a request, without the members that depend on its wire format. */
const contentOf = ({ wire: _wire, model: _model, wantsStream: _stream, ...rest }: ChatRequest) => rest;

test('a request encoded as messages decodes to the same content', () => {
  fc.assert(
    fc.property(arbitraryRequest('chat-completions'), (request) => {
      const encoding = { model: 'theirs', thinkingCapable: false, thinkingStyle: 'none' } as const;
      const { maxTokens } = request;
      const text = encodeMessagesRequest(request, { ...encoding, maxTokens, maxOutputTokens: undefined });
      const again = decodeMessagesRequest(JSON.parse(text), { text, bytes: 0, headers: {} });
      const expected = contentOf(inMessagesForm(request));
      expect(unmarked(contentOf(again))).toEqual(unmarked(expected));
      if (marks(expected) <= 4) expect(contentOf(again)).toEqual(expected);
      else expect(marks(again.messages) + marks(again.tools)).toBe(4);
      expect(again).toMatchObject({ model: 'theirs', wantsStream: true });
    }),
    { numRuns: isDeep ? 250 : 50 },
  );
});

test('a request encoded as chat completions decodes to the same content', () => {
  fc.assert(
    fc.property(arbitraryRequest('messages'), (request) => {
      const quirks = { ...defaultQuirks, reasoningReplay: true };
      const encoding = { model: 'theirs', maxTokens: request.maxTokens, thinkingCapable: false, quirks };
      const again = decodeChatRequest(JSON.parse(encodeChatRequest(request, encoding)), 0);
      expect(contentOf(again)).toEqual(unmarked(contentOf(inChatForm(request))));
    }),
    { numRuns: isDeep ? 250 : 50 },
  );
});

test.each(['chat-completions', 'messages'] as const)(
  'a request of %s encoded as responses decodes to the same content',
  (format) => {
    fc.assert(
      fc.property(arbitraryRequest(format), (arbitrary) => {
        const request = { ...arbitrary, stop: [], topK: undefined, messages: arbitrary.messages.map(signed) };
        const words = { thinkingDefaults: false, effortHigh: 'high', effortMax: 'max' };
        const encoding = { model: 'theirs', thinkingCapable: false, ...words };
        const text = encodeResponsesRequest(request, { ...encoding, maxTokens: request.maxTokens });
        const unseal = (data: string) => [{ type: 'reasoning' as const, text: data }];
        const again = decodeResponsesRequest(JSON.parse(text), { bytes: 0, unseal });
        expect(contentOf(again)).toEqual(unmarked(contentOf(inResponsesForm(request))));
        expect(again).toMatchObject({ model: 'theirs', wantsStream: true });
      }),
      { numRuns: isDeep ? 150 : 30 },
    );
  },
);

test('a request of the responses format, encoded as each of the other two, decodes to the same content', () => {
  fc.assert(
    fc.property(arbitraryRequest('responses'), (request) => {
      const quirks = { ...defaultQuirks, reasoningReplay: true };
      const { maxTokens } = request;
      const chat = encodeChatRequest(request, { model: 'theirs', maxTokens, thinkingCapable: false, quirks });
      expect(contentOf(decodeChatRequest(JSON.parse(chat), 0))).toEqual(unmarked(contentOf(inChatForm(request))));
      const encoding = { model: 'theirs', thinkingCapable: false, thinkingStyle: 'none' } as const;
      const text = encodeMessagesRequest(request, { ...encoding, maxTokens, maxOutputTokens: undefined });
      const again = decodeMessagesRequest(JSON.parse(text), { text, bytes: 0, headers: {} });
      expect(unmarked(contentOf(again))).toEqual(unmarked(contentOf(inMessagesForm(request))));
    }),
    { numRuns: isDeep ? 150 : 30 },
  );
});

/** Reasoning with the signature of a provider of the responses format. */
function signed(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const content = message.content.map((part) =>
    part.type === 'reasoning' ? { ...part, signature: toSignature(part.signature ?? '') } : part,
  );
  return { ...message, content };
}

/**
 * The responses format separates instructions, joins items of the model into one turn, and requires exactly one result
 * for each call, directly after that turn. Reasoning is the content of its seal.
 */
function inResponsesForm(request: ChatRequest): ChatRequest {
  const pieces = request.messages.flatMap(pieceOf);
  const system = pieces.filter((piece) => piece.kind === 'system').map(({ content }) => content[0]?.text ?? '');
  const rest = pieces.filter((piece) => piece.kind !== 'system');
  const instructions: Message[] = system.length > 0 ? [{ role: 'system', content: [words(system.join('\n\n'))] }] : [];
  const parallelToolCalls = request.tools.length > 0 ? request.parallelToolCalls : undefined;
  const answerFormat =
    typeof request.answerFormat === 'object' ? { ...request.answerFormat, name: 'answer' } : undefined;
  const messages = [...instructions, ...conversationOf(rest)];
  return { ...request, messages, parallelToolCalls, answerFormat };
}

function pieceOf(message: Message): readonly DecodedPiece[] {
  switch (message.role) {
    case 'system':
      return message.content.map((part) => ({ kind: 'system', content: [part] }));
    case 'user':
      return [{ kind: 'user', content: message.content.map(fileForm) }];
    case 'tool': {
      const { toolCallId: id, content, isError } = message;
      const isText = content.every((part) => part.type === 'text');
      const output = isText ? [words((isError ? 'Error: ' : '') + joined(content))] : content.map(fileForm);
      return [{ kind: 'output', id, content: isError && !isText ? [words('Error:'), ...output] : output }];
    }
    case 'assistant':
      return message.content.flatMap((part): readonly DecodedPiece[] => {
        if (part.type === 'redacted-reasoning') return [];
        if (part.type === 'tool-call') return [{ ...part, kind: 'call' }];
        if (part.type === 'text') return [{ kind: 'assistant', parts: [words(part.text)] }];
        return [{ kind: 'assistant', parts: [{ type: 'reasoning', text: part.signature?.replace(/^rs:/, '') ?? '' }] }];
      });
    default:
      return message satisfies never;
  }
}

function fileForm(part: UserPart): UserPart {
  if (part.type !== 'document') return part;
  if ('url' in part.source) return { type: 'document', source: part.source };
  return { ...part, title: part.title ?? 'document.pdf' };
}

/** The messages format has one system prompt and alternating turns, in which tool results come first. */
function inMessagesForm(request: ChatRequest): ChatRequest {
  const conversation = makeAnswerable(request.messages);
  const system = conversation.filter((message) => message.role === 'system').flatMap(({ content }) => content);
  const turns: Message[][] = [];
  for (const message of conversation) {
    if (message.role === 'system' || (message.role !== 'tool' && message.content.length === 0)) continue;
    const last = turns.at(-1);
    const isSame = (last?.[0]?.role === 'assistant') === (message.role === 'assistant');
    if (last && isSame) last.push(message);
    else turns.push([message]);
  }
  const messages: Message[] = system.length > 0 ? [{ role: 'system', content: system }] : [];
  for (const turn of turns) {
    const results = turn.filter((message) => message.role === 'tool');
    const userContent = turn.filter((message) => message.role === 'user').flatMap(({ content }) => content);
    const answered = turn.filter((message) => message.role === 'assistant').flatMap(({ content }) => content);
    messages.push(...results);
    if (userContent.length > 0) messages.push({ role: 'user', content: userContent });
    if (answered.length > 0) messages.push({ role: 'assistant', content: answered });
  }
  const isSingle = request.tools.length > 0 && request.toolChoice !== 'none' && request.parallelToolCalls === false;
  const toolChoice = request.toolChoice ?? (isSingle ? 'auto' : undefined);
  return { ...request, messages, toolChoice, parallelToolCalls: isSingle ? false : undefined };
}

/**
 * The chat format has one text in most positions, no signatures and no error flag, and only user messages hold images.
 */
function inChatForm(request: ChatRequest): ChatRequest {
  const messages: Message[] = [];
  let shown: UserPart[] = [];
  for (const message of request.messages) {
    if (message.role === 'tool') {
      const media = message.content.filter((part) => part.type !== 'text');
      const label = { type: 'text' as const, text: `From the result of the tool call ${message.toolCallId}:` };
      if (media.length > 0) shown = [...shown, label, ...media];
      const text = joined(message.content);
      messages.push({ ...message, content: [words(message.isError ? `Error: ${text}` : text)], isError: false });
      continue;
    }
    if (message.role === 'user') messages.push({ role: 'user', content: userForm([...shown, ...message.content]) });
    else if (shown.length > 0) messages.push({ role: 'user', content: userForm(shown) });
    shown = [];
    if (message.role === 'system') messages.push({ role: 'system', content: [words(joined(message.content))] });
    if (message.role === 'assistant') messages.push({ role: 'assistant', content: assistantForm(message) });
  }
  if (shown.length > 0) messages.push({ role: 'user', content: userForm(shown) });
  const parallelToolCalls = request.tools.length > 0 ? request.parallelToolCalls : undefined;
  const answerFormat =
    typeof request.answerFormat === 'object' ? { ...request.answerFormat, name: 'answer' } : undefined;
  return { ...request, messages, parallelToolCalls, answerFormat };
}

const words = (text: string) => ({ type: 'text' as const, text });
const joined = (parts: readonly UserPart[]) =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');

function userForm(parts: readonly UserPart[]): readonly UserPart[] {
  if (parts.every((part) => part.type === 'text')) return [words(joined(parts))];
  return parts.map((part) => (part.type === 'document' ? { ...part, title: part.title ?? 'document.pdf' } : part));
}

function assistantForm({ content }: MessageOf<'assistant'>): readonly AssistantPart[] {
  const reasoning = content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const text = textOf(content);
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(text === '' ? [] : [words(text)]),
    ...content.filter((part) => part.type === 'tool-call'),
  ];
}
