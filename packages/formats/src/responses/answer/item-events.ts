import { listOf, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import {
  inputKinds,
  kindInItem,
  outputText,
  type PartList,
  partLists,
  partsOf,
  partText,
  type TextKind,
  withText,
  withType,
} from './item-texts.ts';

/** An event before it is numbered and written. Its type is the first field. */
export type ResponseEvent = WireObject & { readonly type: string };

/** The open part of an item, or the input of a call. */
interface OpenText {
  readonly kind: TextKind;
  /** The fields that identify the text in its events. */
  readonly position: WireObject;
  /** The part in its added event. Undefined for the input of a call. */
  readonly part: WireObject | undefined;
  /** The text and the logprob records that were sent as deltas. */
  sent: string;
  readonly records: unknown[];
  isDone: boolean;
}

const none: readonly ResponseEvent[] = [];

/**
 * Builds the events of one item in the order that strict clients require. The item is added first and done last. Every
 * part is added before its deltas and done after them. The final text equals its deltas. Each method returns the event
 * it is named after last, and before it every event that was still missing.
 *
 * The encoder calls it for core events, the pass-through for the events of a provider, and the replay for an event log.
 */
export class ItemEvents {
  readonly index: number;
  readonly #added: WireObject;
  readonly #parts: Record<PartList, WireObject[]> = { content: [], summary: [] };
  #text: OpenText | undefined;

  /** `added` is the item without its content. */
  constructor(index: number, added: WireObject) {
    this.index = index;
    this.#added = added;
    const kind = inputKinds.get(added.type);
    if (kind) this.#text = openText(kind, this.#itemPosition);
  }

  get type(): unknown {
    return this.#added.type;
  }

  /** The text that the next delta continues. It may be done. */
  get text(): Readonly<OpenText> | undefined {
    return this.#text;
  }

  get position(): WireObject {
    return this.#text?.position ?? this.#itemPosition;
  }

  partsDone(list: PartList): readonly WireObject[] {
    return this.#parts[list];
  }

  get soFar(): WireObject {
    const lists = { ...this.#parts };
    const open = this.#text;
    if (open?.kind.list) lists[open.kind.list] = [...lists[open.kind.list], sentPart(open)];
    return { ...this.#added, ...this.#content(lists) };
  }

  added(): ResponseEvent {
    return itemEvent('added', this.index, this.#added);
  }

  /** Opens a part for a text of this kind. If no part is given and one of this kind is open, that part stays open. */
  openPart(kind: TextKind, part?: WireObject): readonly ResponseEvent[] {
    if (kind.list === undefined || (!part && this.#text?.kind === kind && !this.#text.isDone)) return none;
    const ended = this.partDone();
    const { event, index } = partLists[kind.list];
    const position = { ...this.#itemPosition, [index]: this.#parts[kind.list].length };
    const added = withText(withType(part, kind), partText(part));
    this.#text = openText(kind, position, added);
    return [...ended, { type: `response.${event}.added`, ...position, part: added }];
  }

  delta(kind: TextKind, delta: string, logprobs: readonly unknown[] = []): readonly ResponseEvent[] {
    const opened = this.openPart(kind);
    this.append(delta, logprobs);
    const records = kind === outputText ? { logprobs } : undefined;
    return [...opened, { type: `response.${kind.event}.delta`, ...this.position, delta, ...records }];
  }

  /** Counts a delta of the open text whose event is not built here. */
  append(delta: string, logprobs: readonly unknown[]): void {
    const open = this.#text;
    if (!open) return;
    open.sent += delta;
    open.records.push(...logprobs);
  }

  /** Ends the open text. If the whole text is longer than the deltas, sends the rest first. */
  textDone(whole: string, logprobs?: readonly unknown[]): readonly ResponseEvent[] {
    const open = this.#text;
    if (!open || open.isDone) return none;
    const { kind, sent, position } = open;
    const isLonger = whole.length > sent.length && whole.startsWith(sent);
    const rest = isLonger ? this.delta(kind, whole.slice(sent.length)) : none;
    open.isDone = true;
    const done = {
      type: `response.${kind.event}.done`,
      ...position,
      ...(kind.field === 'arguments' && { name: this.#added.name }),
      [kind.field]: open.sent,
      ...(kind === outputText && { logprobs: logprobs ?? open.records }),
    };
    return [...rest, done];
  }

  /** Ends the open part. If a final part is given, its fields count. */
  partDone(final?: WireObject): readonly ResponseEvent[] {
    const open = this.#text;
    if (open?.kind.list === undefined) return none;
    const text = this.textDone(partText(final), final && listOf(final.logprobs));
    const part = final ? withText(withType(final, open.kind), open.sent) : sentPart(open);
    this.skipPart(open.kind.list, part);
    this.#text = undefined;
    return [...text, { type: `response.${partLists[open.kind.list].event}.done`, ...open.position, part }];
  }

  /** Counts a part whose events are not built here. */
  skipPart(list: PartList, part: WireObject): void {
    this.#parts[list].push(part);
  }

  /** Ends the item. If a final item is given, its fields count, and its texts may be longer than the deltas. */
  done(final?: WireObject, status = 'completed'): readonly ResponseEvent[] {
    const input = this.#text && final?.[this.#text.kind.field];
    const events = inputKinds.has(this.type) ? this.textDone(nonEmptyString(input) ?? '') : this.#partsDone(final);
    const hasEnded = final?.status === 'completed' || final?.status === 'incomplete';
    const item = {
      ...(final ?? this.#added),
      ...stableFields(this.#added),
      ...this.#content(this.#parts, final),
      status: hasEnded ? final.status : status,
    };
    return [...events, itemEvent('done', this.index, item)];
  }

  #partsDone(final: WireObject | undefined): readonly ResponseEvent[] {
    const list = this.#text?.kind.list;
    const events = [...this.partDone(list && partsOf(final, list)[this.#parts[list].length])];
    for (const name of ['summary', 'content'] as const) {
      for (const part of partsOf(final, name).slice(this.#parts[name].length)) {
        const kind = kindInItem(this.type, name, part);
        if (kind) events.push(...this.openPart(kind), ...this.partDone(part));
      }
    }
    return events;
  }

  /** The fields with the content of the item. A list of the final item counts if it agrees with the events. */
  #content(parts: Readonly<Record<PartList, readonly WireObject[]>>, final?: WireObject): WireObject {
    const open = this.#text;
    if (open && open.kind.list === undefined) return { [open.kind.field]: open.sent };
    const content = { content: agreedParts(final?.content, parts.content) };
    if (this.type === 'message') return content;
    if (this.type !== 'reasoning') return {};
    return { summary: agreedParts(final?.summary, parts.summary), ...(parts.content.length > 0 && content) };
  }

  get #itemPosition(): WireObject {
    return { item_id: this.#added.id, output_index: this.index };
  }
}

export function itemEvent(step: 'added' | 'done', index: number, item: WireObject): ResponseEvent {
  return { type: `response.output_item.${step}`, output_index: index, item };
}

function openText(kind: TextKind, position: WireObject, part?: WireObject): OpenText {
  return { kind, position, part, sent: partText(part), records: [...listOf(part?.logprobs)], isDone: false };
}

function sentPart({ kind, part = {}, sent, records }: OpenText): WireObject {
  return withText(kind === outputText ? { ...part, logprobs: records } : part, sent);
}

/** The fields that stay the same from an item's first event to its last. */
function stableFields(added: WireObject): WireObject {
  const names = ['id', 'type', 'role', 'call_id', 'name', 'namespace'];
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(added, name) ? [[name, added[name]]] : [])));
}

/** The provider's list of parts if it has the same texts and lacks nothing, otherwise the parts as sent. */
function agreedParts(provided: unknown, sent: readonly WireObject[]): readonly unknown[] {
  if (!Array.isArray(provided)) return sent;
  const parts: readonly unknown[] = provided;
  const isSame = sent.every((part, at) => {
    const other = objectOf(parts[at]);
    return other !== undefined && other.type === part.type && withText(other, partText(part)) === other;
  });
  return isSame && parts.length >= sent.length ? parts : sent;
}
