import type { AssistantPart, Message, TextPart, UserPart } from '../../chat/message.ts';
import type { DecodedPiece } from './decode-item.ts';

/** Used as the result of a call that was interrupted: providers reject a call without a result. */
const noResult: readonly UserPart[] = [{ type: 'text', text: '(no result: the call was interrupted)' }];

const orphanLabel = { type: 'text', text: 'Result of an earlier tool call:' } as const;

type OutputPiece = Extract<DecodedPiece, { kind: 'output' }>;

/** Messages that every provider accepts: instructions first, a message per turn, then exactly one result per call. */
export function conversationOf(pieces: readonly DecodedPiece[]): readonly Message[] {
  return putInstructionsFirst(new ConversationBuilder(pieces).messages());
}

class ConversationBuilder {
  readonly #pieces: readonly DecodedPiece[];
  /** The first result of each call. A second result counts as one without a call. */
  readonly #results = new Map<string, OutputPiece>();
  readonly #messages: Message[] = [];
  #parts: AssistantPart[] = [];
  #callIds: string[] = [];
  readonly #usedIds = new Set<string>();

  constructor(pieces: readonly DecodedPiece[]) {
    this.#pieces = pieces;
    for (const piece of pieces) {
      if (piece.kind !== 'output' || piece.id === undefined || this.#results.has(piece.id)) continue;
      this.#results.set(piece.id, piece);
    }
  }

  messages(): Message[] {
    for (const piece of this.#pieces) this.#add(piece);
    this.#close();
    return this.#messages;
  }

  #add(piece: DecodedPiece): void {
    switch (piece.kind) {
      case 'assistant':
        this.#parts.push(...piece.parts);
        return;
      case 'call':
        this.#call(piece);
        return;
      case 'output':
        this.#close();
        // No provider accepts a result without a call as a result.
        if (!this.#isAnswer(piece)) this.#messages.push({ role: 'user', content: [orphanLabel, ...piece.content] });
        return;
      case 'system':
      case 'user':
        this.#close();
        if (piece.content.length > 0) this.#messages.push({ role: piece.kind, content: piece.content } as Message);
        return;
      default:
        piece satisfies never;
    }
  }

  #call({ id: givenId, name, arguments: json }: Extract<DecodedPiece, { kind: 'call' }>): void {
    const id =
      givenId !== undefined && !this.#usedIds.has(givenId)
        ? givenId
        : `call_${this.#usedIds.size}_${name}`.slice(0, 64);
    this.#usedIds.add(id);
    this.#callIds.push(id);
    this.#parts.push({ type: 'tool-call', id, name, arguments: json });
  }

  /** Whether the result has already been placed after its call. */
  #isAnswer(piece: OutputPiece): boolean {
    return piece.id !== undefined && this.#usedIds.has(piece.id) && this.#results.get(piece.id) === piece;
  }

  #close(): void {
    const parts = this.#parts;
    const callIds = this.#callIds;
    this.#parts = [];
    this.#callIds = [];
    // Reasoning without text or calls is not a turn.
    if (!parts.some(({ type }) => type === 'text' || type === 'tool-call')) return;
    this.#messages.push({ role: 'assistant', content: parts });
    for (const id of callIds) {
      const content = this.#results.get(id)?.content ?? noResult;
      this.#messages.push({ role: 'tool', toolCallId: id, content, isError: false });
    }
  }
}

/** Most models' templates fail on later instructions, so these are added to the adjacent user message. */
function putInstructionsFirst(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const leading = messages.slice(0, first < 0 ? messages.length : first);
  const system = leading.flatMap((message) => (message.role === 'system' ? message.content : []));
  const rest = first < 0 ? [] : messages.slice(first);
  return [...(system.length > 0 ? [{ role: 'system' as const, content: system }] : []), ...foldInstructions(rest)];
}

function foldInstructions(messages: readonly Message[]): readonly Message[] {
  const folded: Message[] = [];
  let pending: readonly UserPart[] = [];
  for (const message of messages) {
    if (message.role === 'system') {
      pending = [...pending, ...message.content.map(asInstruction)];
      continue;
    }
    if (pending.length > 0 && message.role === 'user') {
      folded.push({ ...message, content: [...pending, ...message.content] });
    } else {
      if (pending.length > 0) attach(folded, pending);
      folded.push(message);
    }
    pending = [];
  }
  if (pending.length > 0) attach(folded, pending);
  return folded;
}

function attach(folded: Message[], parts: readonly UserPart[]): void {
  const last = folded.at(-1);
  if (last?.role !== 'user') folded.push({ role: 'user', content: parts });
  else folded.splice(-1, 1, { ...last, content: [...last.content, ...parts] });
}

function asInstruction(part: TextPart): TextPart {
  return { ...part, text: `<system>\n${part.text}\n</system>` };
}
