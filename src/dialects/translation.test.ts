import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChatRequest } from '../core/chat-request.ts';
import { type AssistantPart, type Message, textOf, type UserPart } from '../core/message.ts';
import { answerable } from './answerable.ts';
import { decodeChatRequest } from './chat-completions/decode-request.ts';
import { encodeChatRequest } from './chat-completions/encode-request.ts';
import { plainQuirks } from './chat-completions/quirks.ts';
import { arbitraryRequest } from './fixtures/arbitrary-request.ts';
import { decodeMessagesRequest } from './messages/decode-request.ts';
import { encodeMessagesRequest } from './messages/encode-request.ts';

type MessageOf<Role extends Message['role']> = Extract<Message, { role: Role }>;

/** A copy without cache marks. */
const unmarked = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'cache' ? undefined : inner)));
const marks = (value: unknown): number => JSON.stringify(value).split('"cache":"').length - 1;

/** What a request says, without what depends on the way it came in. */
const essence = ({ wire: _wire, model: _model, wantsStream: _stream, ...rest }: ChatRequest) => rest;

test('a request that goes up as messages says the same when it is read again', () => {
  fc.assert(
    fc.property(arbitraryRequest('chat-completions'), (request) => {
      const encoding = { model: 'theirs', thinkingCapable: false, thinkingStyle: 'none' } as const;
      const { maxTokens } = request;
      const text = encodeMessagesRequest(request, { ...encoding, maxTokens, maxOutputTokens: undefined });
      const again = decodeMessagesRequest(JSON.parse(text), { text, bytes: 0, headers: {} });
      const expected = essence(inMessagesForm(request));
      expect(unmarked(essence(again))).toEqual(unmarked(expected));
      if (marks(expected) <= 4) expect(essence(again)).toEqual(expected);
      else expect(marks(again.messages) + marks(again.tools)).toBe(4);
      expect(again).toMatchObject({ model: 'theirs', wantsStream: true });
    }),
    { numRuns: 500 },
  );
});

test('a request that goes up as chat completions says the same when it is read again', () => {
  fc.assert(
    fc.property(arbitraryRequest('messages'), (request) => {
      const quirks = { ...plainQuirks, reasoningReplay: true };
      const encoding = { model: 'theirs', maxTokens: request.maxTokens, thinkingCapable: false, quirks };
      const again = decodeChatRequest(JSON.parse(encodeChatRequest(request, encoding)), 0);
      expect(essence(again)).toEqual(unmarked(essence(inChatForm(request))));
    }),
    { numRuns: 500 },
  );
});

/** The messages format has one system prompt and turns that alternate, in which results come first. */
function inMessagesForm(request: ChatRequest): ChatRequest {
  const spoken = answerable(request.messages);
  const system = spoken.filter((message) => message.role === 'system').flatMap(({ content }) => content);
  const turns: Message[][] = [];
  for (const message of spoken) {
    if (message.role === 'system' || (message.role !== 'tool' && message.content.length === 0)) continue;
    const last = turns.at(-1);
    const isSame = (last?.[0]?.role === 'assistant') === (message.role === 'assistant');
    if (last && isSame) last.push(message);
    else turns.push([message]);
  }
  const messages: Message[] = system.length > 0 ? [{ role: 'system', content: system }] : [];
  for (const turn of turns) {
    const results = turn.filter((message) => message.role === 'tool');
    const said = turn.filter((message) => message.role === 'user').flatMap(({ content }) => content);
    const answered = turn.filter((message) => message.role === 'assistant').flatMap(({ content }) => content);
    messages.push(...results);
    if (said.length > 0) messages.push({ role: 'user', content: said });
    if (answered.length > 0) messages.push({ role: 'assistant', content: answered });
  }
  const isSingle = request.tools.length > 0 && request.toolChoice !== 'none' && request.parallelToolCalls === false;
  const toolChoice = request.toolChoice ?? (isSingle ? 'auto' : undefined);
  return { ...request, messages, toolChoice, parallelToolCalls: isSingle ? false : undefined };
}

/** The chat format has one text in most places, no proofs, no failures, and only the user shows pictures. */
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
  const thought = content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const said = textOf(content);
  return [
    ...(thought === '' ? [] : [{ type: 'reasoning' as const, text: thought }]),
    ...(said === '' ? [] : [words(said)]),
    ...content.filter((part) => part.type === 'tool-call'),
  ];
}
