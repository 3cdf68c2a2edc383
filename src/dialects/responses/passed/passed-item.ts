import { objectOf, parsedJson, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { withValues, type PassedEvent, createEvent } from './passed-event.ts';
import {
  type PartList,
  partLists,
  withText,
  partsOf,
  partText,
  type TextKind,
  textKinds,
  textOf,
} from '../answer/item-texts.ts';

/** The open part of an item. */
interface PassedPart {
  readonly list: PartList;
  readonly part: WireObject;
  readonly text: string;
  sentText: string;
  isComplete: boolean;
}

type ItemType = TextKind['item'];

/**
 * Normalises one item of a provider's answer for strict clients. Every part is added before its deltas and done after
 * them. The final text equals its deltas. Ids and indexes stay the same. Correct events pass unchanged.
 */
export class PassedItem {
  readonly index: number;
  readonly type: ItemType;
  readonly #added: WireObject;
  readonly #parts: Record<PartList, WireObject[]> = { content: [], summary: [] };
  #part: PassedPart | undefined;
  /** The input of a call as sent so far. */
  #input = '';
  #isInputComplete = false;
  /** The final item, once it is done. */
  done: WireObject | undefined;

  constructor(index: number, added: WireObject) {
    this.index = index;
    this.#added = added;
    this.type = added.type as ItemType;
  }

  get id(): unknown {
    return this.#added.id;
  }

  /** Whether the item seems complete before its done event. */
  get mayEnd(): boolean {
    if (this.type === 'message' || this.type === 'reasoning') return true;
    return this.#isInputComplete || (this.type === 'function_call' && parsedJson(this.#input) !== undefined);
  }

  /** The item as sent so far. */
  get soFar(): WireObject {
    if (this.type === 'function_call' || this.type === 'custom_tool_call') {
      return { ...this.#added, [this.#inputField]: this.#input };
    }
    const lists = { ...this.#parts };
    const open = this.#part;
    if (open) lists[open.list] = [...lists[open.list], withText(open.part, open.sentText)];
    return { ...this.#added, ...(this.type === 'reasoning' && { summary: lists.summary }), content: lists.content };
  }

  /** Whether events of this name can belong to this item. */
  fits(name: string): boolean {
    if (name === 'content_part') return this.type === 'message' || this.type === 'reasoning';
    if (name === 'reasoning_summary_part') return this.type === 'reasoning';
    return kindOf(name)?.item === this.type;
  }

  /** Takes an event of this item. `name` is its type without `response.` and without the step. */
  take(name: string, step: string, event: PassedEvent): readonly PassedEvent[] {
    if (name === 'content_part') return this.#partEvent('content', step, event);
    if (name === 'reasoning_summary_part') return this.#partEvent('summary', step, event);
    const kind = kindOf(name);
    if (!kind) return [];
    if (name !== nameOf(kind)) return [...(this.#part ? [] : this.#openFor(kind)), withValues(event, this.#position())];
    return step === 'delta' ? this.#delta(kind, event) : step === 'done' ? this.#textDone(kind, event) : [];
  }

  /**
   * Ends the item, and first sends everything that was missing. If the provider sent a final item, its fields count.
   */
  end(final: WireObject | undefined, event?: PassedEvent, status = 'completed'): readonly PassedEvent[] {
    const events = this.type === 'message' || this.type === 'reasoning' ? this.#endParts(final) : this.#endInput(final);
    const hasEnded = final?.status === 'completed' || final?.status === 'incomplete';
    const end = { ...this.#finalContent(final), status: hasEnded ? final.status : status };
    const done = { ...(final ?? this.#added), ...stableFields(this.#added), ...end };
    const position = { output_index: this.index, item: done };
    const last = event ? withValues(event, position) : createEvent('response.output_item.done', position);
    this.done = objectOf(last.fields.item);
    return [...events, last];
  }

  #partEvent(list: PartList, step: string, event: PassedEvent): readonly PassedEvent[] {
    const part = objectOf(event.fields.part) ?? { type: list === 'summary' ? 'summary_text' : 'output_text' };
    const text = textOf(part.type);
    if (text === undefined) return this.#unknownPart(list, step, event);
    if (step === 'added') {
      const ended = this.#endPart(undefined);
      this.#part = { list, part, text, sentText: partText(part), isComplete: false };
      return [...ended, withValues(event, { ...this.#position(), part: withText(part, partText(part)) })];
    }
    if (this.#part?.text === text) return this.#endPart(part, event);
    // A part that has already ended is sent only once.
    if (this.#parts[list].some((each) => partText(each) === partText(part))) return [];
    return [...this.#openFor(textKinds[text]), ...this.#endPart(part, event)];
  }

  /** An unknown part counts in its list and passes unchanged. */
  #unknownPart(list: PartList, step: string, event: PassedEvent): readonly PassedEvent[] {
    const ended = this.#endPart(undefined);
    const passed = withValues(event, { item_id: this.id, output_index: this.index });
    if (step === 'done') this.#parts[list].push(objectOf(event.fields.part) ?? {});
    return [...ended, passed];
  }

  #delta(kind: TextKind, event: PassedEvent): readonly PassedEvent[] {
    const { delta, logprobs } = event.fields;
    if (typeof delta !== 'string' || (kind.list === undefined && this.#isInputComplete)) return [];
    const opened = this.#openFor(kind);
    if (this.#part) this.#part.sentText += delta;
    else this.#input += delta;
    const lacksRecords = kind.part === 'output_text' && !Array.isArray(logprobs);
    return [...opened, withValues(event, { ...this.#position(), ...(lacksRecords && { logprobs: [] }) })];
  }

  #textDone(kind: TextKind, event: PassedEvent): readonly PassedEvent[] {
    const whole = nonEmptyString(event.fields[kind.field]) ?? '';
    if (kind.list === undefined) return this.#isInputComplete ? [] : this.#inputDone(whole, event);
    const hasEnded = this.#part?.text !== nameOf(kind) || this.#part.isComplete;
    if (hasEnded && this.#parts[kind.list].some((part) => partText(part) === whole)) return [];
    if (this.#part?.isComplete) return [];
    return [...this.#openFor(kind), ...this.#wholeText(whole, event)];
  }

  /** Opens the part for a text of this kind, if it is not open. */
  #openFor(kind: TextKind | undefined): readonly PassedEvent[] {
    if (kind?.list === undefined || (this.#part?.text === nameOf(kind) && !this.#part.isComplete)) return [];
    const ended = this.#endPart(undefined);
    const part = { type: kind.part };
    this.#part = { list: kind.list, part, text: nameOf(kind), sentText: '', isComplete: false };
    return [
      ...ended,
      createEvent(`response.${partLists[kind.list].event}.added`, { ...this.#position(), part: withText(part, '') }),
    ];
  }

  #wholeText(whole: string, event?: PassedEvent): readonly PassedEvent[] {
    const open = this.#part;
    if (!open || open.isComplete) return [];
    const rest = this.#missingDelta(open.text, open.sentText, whole);
    if (rest.length > 0) open.sentText = whole;
    open.isComplete = true;
    const field = open.text === 'refusal' ? 'refusal' : 'text';
    const lacksRecords = open.text === 'output_text' && !Array.isArray(event?.fields.logprobs);
    const fields = { ...this.#position(), [field]: open.sentText, ...(lacksRecords && { logprobs: [] }) };
    return [...rest, event ? withValues(event, fields) : createEvent(`response.${open.text}.done`, fields)];
  }

  #endPart(final: WireObject | undefined, event?: PassedEvent): readonly PassedEvent[] {
    const open = this.#part;
    if (!open) return [];
    const text = this.#wholeText(partText(final));
    const part = withText(final ?? open.part, open.sentText);
    const fields = { ...this.#position(), part };
    const last = event ? withValues(event, fields) : createEvent(`response.${partLists[open.list].event}.done`, fields);
    this.#parts[open.list].push(part);
    this.#part = undefined;
    return [...text, last];
  }

  #endParts(final: WireObject | undefined): readonly PassedEvent[] {
    const open = this.#part;
    const events = [...this.#endPart(open && partsOf(final, open.list)[this.#parts[open.list].length])];
    for (const list of ['summary', 'content'] as const) {
      for (const part of partsOf(final, list).slice(this.#parts[list].length)) {
        const kind = textKinds[textOf(part.type) ?? ''];
        if (kind) events.push(...this.#openFor(kind), ...this.#endPart(part));
      }
    }
    return events;
  }

  #endInput(final: WireObject | undefined): readonly PassedEvent[] {
    if (this.#isInputComplete) return [];
    const whole = nonEmptyString(final?.[this.#inputField]);
    return this.#inputDone(whole ?? (this.type === 'function_call' && this.#input === '' ? '{}' : ''));
  }

  #inputDone(whole: string, event?: PassedEvent): readonly PassedEvent[] {
    const name = this.type === 'function_call' ? 'function_call_arguments' : 'custom_tool_call_input';
    const rest = this.#missingDelta(name, this.#input, whole);
    if (rest.length > 0) this.#input = whole;
    this.#isInputComplete = true;
    const called = this.type === 'function_call' ? { name: this.#added.name } : {};
    const fields = { ...this.#position(), ...called, [this.#inputField]: this.#input };
    return [...rest, event ? withValues(event, fields) : createEvent(`response.${name}.done`, fields)];
  }

  /** Returns a delta with the part of the complete text that the deltas lacked. */
  #missingDelta(name: string, sentText: string, whole: string): readonly PassedEvent[] {
    if (whole.length <= sentText.length || !whole.startsWith(sentText)) return [];
    const records = name === 'output_text' ? { logprobs: [] } : {};
    return [
      createEvent(`response.${name}.delta`, { ...this.#position(), delta: whole.slice(sentText.length), ...records }),
    ];
  }

  get #inputField(): 'arguments' | 'input' {
    return this.type === 'function_call' ? 'arguments' : 'input';
  }

  #position(): WireObject {
    const position = { item_id: this.id, output_index: this.index };
    const open = this.#part;
    if (!open) return position;
    return { ...position, [partLists[open.list].index]: this.#parts[open.list].length };
  }

  /** The final content of the item. It is the provider's, if it agrees with the events. */
  #finalContent(final: WireObject | undefined): WireObject {
    if (this.type === 'function_call' || this.type === 'custom_tool_call') return { [this.#inputField]: this.#input };
    const lists = this.type === 'message' ? (['content'] as const) : (['summary', 'content'] as const);
    const content: Partial<Record<PartList, readonly unknown[]>> = {};
    for (const list of lists) {
      if (list === 'content' && this.type === 'reasoning' && this.#parts.content.length === 0) continue;
      content[list] = agreedParts(final?.[list], this.#parts[list]);
    }
    return content;
  }
}

/** The fields that stay the same from an item's first event to its last. */
function stableFields(added: WireObject): WireObject {
  const names = ['id', 'type', 'role', 'call_id', 'name', 'namespace'];
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(added, name) ? [[name, added[name]]] : [])));
}

function kindOf(name: string): TextKind | undefined {
  const known = name.replace(/\.annotation$/, '');
  return Object.hasOwn(textKinds, known) ? textKinds[known] : undefined;
}

function nameOf(kind: TextKind): string {
  return Object.keys(textKinds).find((name) => textKinds[name] === kind) ?? '';
}

/**
 * Returns the provider's list of parts if it has the same texts and lacks nothing. Otherwise returns the parts as sent.
 */
function agreedParts(provided: unknown, sent: readonly WireObject[]): readonly unknown[] {
  if (!Array.isArray(provided)) return sent;
  const parts: readonly unknown[] = provided;
  const isSame = sent.every((part, at) => {
    const other = objectOf(parts[at]);
    return other !== undefined && other.type === part.type && withText(other, partText(part)) === other;
  });
  return isSame && parts.length >= sent.length ? parts : sent;
}
