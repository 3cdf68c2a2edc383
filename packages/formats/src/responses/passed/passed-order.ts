import { upstreamFailed } from '../../provider-failure.ts';
import { isObject, listOf, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { ItemIndexes, itemsMax } from '../answer/item-places.ts';
import { initialFields, inputKinds, isOrdered, partLists } from '../answer/item-texts.ts';
import { withValues, type PassedEvent, createEvent } from './passed-event.ts';
import { kindOf, PassedItem } from './passed-item.ts';

/** Maximum characters of events held until another item ends. */
const heldCharactersMax = 4 * 1024 * 1024;

/** One item after the other, with consecutive indexes and unique ids, as strict clients require. The rest passes. */
export class PassedOrder {
  /** The request's id. Ids that the provider did not send are made of it. */
  readonly #id: string;
  /** Items as they ended, or began, by their index for the client. */
  readonly #items: WireObject[] = [];
  readonly #ids = new Set<unknown>();
  readonly #callIds = new Set<unknown>();
  /** The open item, and the provider's index and id for it. */
  #open: { readonly item: PassedItem; readonly index: unknown; readonly id: unknown } | undefined;
  /** Client indexes of items that are not open, by the provider's index. */
  readonly #clientIndexes = new Map<unknown, number>();
  readonly #providerIndexes = new ItemIndexes();
  /** Client indexes of items for which the provider sent a done event. */
  readonly #finished = new Set<number>();
  #held: PassedEvent[] = [];
  #heldCharacters = 0;
  #isEnding = false;

  constructor(id: string) {
    this.#id = id;
  }

  get done(): readonly WireObject[] {
    return this.#items.filter(({ status }) => status !== 'in_progress');
  }

  get soFar(): readonly WireObject[] {
    const open = this.#open?.item;
    return this.#items.map((item, at) => (at === open?.index ? open.soFar : item));
  }

  take(event: PassedEvent): readonly PassedEvent[] {
    const [, name = '', step = ''] = /^response\.(.+)\.(\w+)$/.exec(event.type) ?? [];
    if (name === 'output_item') return this.#itemEvent(step, this.#withIndex(event));
    // A variant of the format uses this name, and some clients fail on it.
    if (name === 'reasoning') return this.take(createEvent(`response.reasoning_text.${step}`, event.fields));
    if (isInside(name, step)) return this.#inside(name, step, this.#withIndex(event));
    return this.#isHeld(event.fields.output_index) ? this.#hold(event) : [this.#withClientIndex(event)];
  }

  /** Ends the open item, releases held events, and sends items that only the last event contains. */
  end(terminal: PassedEvent): { readonly events: readonly PassedEvent[]; readonly terminal: PassedEvent } {
    this.#isEnding = true;
    const response = objectOf(terminal.fields.response) ?? {};
    const output = listOf(response.output).filter(isObject);
    const status = response.status === 'incomplete' ? 'incomplete' : 'completed';
    const index = this.#open?.item.index ?? -1;
    const events = [...this.#endOpen(findItem(output, this.#items[index], index), status), ...this.#release()];
    events.push(...this.#endOpen(undefined, status));
    const known = new Set(this.#items.map((item, at) => findItem(output, item, at)));
    for (const item of output.filter((each) => !known.has(each)))
      events.push(...this.#complete(item, this.#items.length, status));
    const merged = this.#items.map((item, at) => mergeItem(item, findItem(output, item, at)));
    return { events, terminal: withValues(terminal, { response: { ...response, output: merged } }) };
  }

  #itemEvent(step: string, event: PassedEvent): readonly PassedEvent[] {
    const item = objectOf(event.fields.item);
    if (!item) return [];
    return step === 'added'
      ? this.#added(item, event)
      : step === 'done'
        ? this.#done(item, event)
        : [this.#withClientIndex(event)];
  }

  #added(item: WireObject, event: PassedEvent): readonly PassedEvent[] {
    const open = this.#open;
    if (open && nonEmptyString(item.id) !== undefined && open.id === item.id) return [];
    if (this.#mustWait()) return this.#hold(event);
    const ended = this.#endOpen();
    return [...ended, ...this.#begin(item, event.fields.output_index, event)];
  }

  #begin(item: WireObject, index: unknown, event?: PassedEvent): readonly PassedEvent[] {
    if (this.#items.length >= itemsMax) throw upstreamFailed(`The provider's answer has more than ${itemsMax} items.`);
    const clientIndex = this.#items.length;
    const added = this.#withRequiredFields(item, clientIndex);
    this.#items.push(added);
    const begun = new PassedItem(clientIndex, added);
    if (isOrdered(added)) this.#open = { item: begun, index, id: item.id };
    else this.#clientIndexes.set(index, clientIndex);
    return begun.begin(event);
  }

  #done(item: WireObject, event: PassedEvent): readonly PassedEvent[] {
    const index = event.fields.output_index;
    const open = this.#open;
    if (open && this.#isOpenItem(item.id, index) && item.type === open.item.type) {
      return [...this.#endOpen(item, 'completed', event), ...this.#release()];
    }
    if (this.#isHeld(index)) return this.#hold(event);
    const clientIndex = this.#clientIndexOf(item, index);
    if (clientIndex !== undefined) return this.#endAgain(item, clientIndex, event);
    // The provider never sent an added event for it.
    if (this.#mustWait()) return this.#hold(event);
    return [...this.#endOpen(), ...this.#complete(item, index, 'completed', event)];
  }

  /** Begins and ends an item of which only the final state arrived. */
  #complete(item: WireObject, index: unknown, status: string, event?: PassedEvent): readonly PassedEvent[] {
    if (isOrdered(item)) return [...this.#begin(item, index), ...this.#endOpen(item, status, event)];
    const added = this.#begin('status' in item ? { ...item, status: 'in_progress' } : item, index);
    const done = event ?? createEvent('response.output_item.done', { output_index: index, item });
    return [...added, ...this.#endAgain(item, this.#items.length - 1, done)];
  }

  /** By its id and the provider's index, one of which may also belong to another item. */
  #clientIndexOf({ id, type }: WireObject, index: unknown): number | undefined {
    const clientIndex = this.#clientIndexes.get(index);
    const named = this.#items.findIndex((each) => each.id === id && each.type === type);
    if (named >= 0 && (named === clientIndex || !this.#finished.has(named))) return named;
    if (clientIndex === undefined || this.#finished.has(clientIndex)) return undefined;
    return this.#items[clientIndex]?.type === type ? clientIndex : undefined;
  }

  /** Sends nothing if the gateway already ended it. An item of an unknown type ends as the provider sent it. */
  #endAgain(item: WireObject, clientIndex: number, event: PassedEvent): readonly PassedEvent[] {
    const done = mergeItem(this.#items[clientIndex] ?? {}, item);
    this.#items[clientIndex] = done;
    this.#finished.add(clientIndex);
    return isOrdered(done) ? [] : [withValues(event, { output_index: clientIndex, item: done })];
  }

  #inside(name: string, step: string, event: PassedEvent): readonly PassedEvent[] {
    const index = event.fields.output_index;
    const open = this.#open;
    if (open && this.#isOpenItem(event.fields.item_id, index) && open.item.fits(name))
      return open.item.take(name, step, event);
    if (this.#isHeld(index)) return this.#hold(event);
    const type = kindOf(name)?.item ?? typeOfPart(name, event);
    // A call that was never added has no name before its end. An item that has ended is sent once.
    if (type !== 'message' && type !== 'reasoning') return [];
    if (step !== 'delta' && this.#clientIndexes.has(index)) return [];
    if (this.#mustWait()) return this.#hold(event);
    const ended = this.#endOpen();
    const added = this.#begin({ id: event.fields.item_id, type }, index);
    return [...ended, ...added, ...(this.#open?.item.take(name, step, event) ?? [])];
  }

  #endOpen(final?: WireObject, status = 'completed', event?: PassedEvent): readonly PassedEvent[] {
    const open = this.#open;
    if (!open) return [];
    const events = open.item.end(final, event, status);
    this.#items[open.item.index] = objectOf(events.at(-1)?.fields.item) ?? {};
    this.#clientIndexes.set(open.index, open.item.index);
    if (event) this.#finished.add(open.item.index);
    this.#open = undefined;
    return events;
  }

  /** Whether the open item must end before another begins, because it is not complete yet. */
  #mustWait(): boolean {
    if (this.#isEnding || !this.#open) return false;
    return this.#held.length > 0 || !this.#open.item.mayEnd;
  }

  /** Providers identify items by index, by id, or by both. One match is enough. */
  #isOpenItem(id: unknown, index: unknown): boolean {
    const open = this.#open;
    return open !== undefined && (open.index === index || (nonEmptyString(id) !== undefined && open.id === id));
  }

  #hold(event: PassedEvent): readonly PassedEvent[] {
    this.#held.push(event);
    this.#heldCharacters += event.data.length;
    if (this.#heldCharacters > heldCharactersMax)
      throw upstreamFailed(`The provider's answer has items mixed over more than ${heldCharactersMax} characters.`);
    return [];
  }

  #isHeld(index: unknown): boolean {
    return this.#held.some(({ fields }) => fields.output_index === index);
  }

  #release(): readonly PassedEvent[] {
    const held = this.#held;
    this.#held = [];
    this.#heldCharacters = 0;
    return held.flatMap((event) => this.take(event));
  }

  /** Sets the client's index and id in an event that needs no order. */
  #withClientIndex(event: PassedEvent): PassedEvent {
    const { output_index: index } = event.fields;
    if (typeof index !== 'number') return event;
    const clientIndex = this.#open?.index === index ? this.#open.item.index : this.#clientIndexes.get(index);
    if (clientIndex === undefined) return event;
    const id = this.#items[clientIndex]?.id;
    return withValues(event, { output_index: clientIndex, ...('item_id' in event.fields && { item_id: id }) });
  }

  /** Returns the event with the index of its item, which some providers omit. */
  #withIndex(event: PassedEvent): PassedEvent {
    const index = this.#providerIndexes.indexOf(event.type, event.fields);
    const isNamed = typeof event.fields.output_index === 'number';
    return isNamed ? event : createEvent(event.type, { ...event.fields, output_index: index });
  }

  /** With all fields that clients require at its beginning. Replaces ids that are missing or already used. */
  #withRequiredFields(item: WireObject, clientIndex: number): WireObject {
    const id = this.#uniqueId(this.#ids, item.id, `${prefixes.get(item.type) ?? 'item'}_${this.#id}_${clientIndex}`);
    const isCall = 'call_id' in item || inputKinds.has(item.type);
    const callId = isCall
      ? { call_id: this.#uniqueId(this.#callIds, item.call_id, `call_${this.#id}_${clientIndex}`) }
      : {};
    if (!isOrdered(item)) return { ...item, id, ...callId };
    return { ...item, ...initialFields(item), status: 'in_progress', id, ...callId };
  }

  #uniqueId(taken: Set<unknown>, requested: unknown, fallback: string): unknown {
    const name = nonEmptyString(requested);
    const unique = name !== undefined && !taken.has(name) ? name : fallback;
    taken.add(unique);
    return unique;
  }
}

const prefixes: ReadonlyMap<unknown, string> = new Map<unknown, string>(
  Object.entries({ message: 'msg', reasoning: 'rs', function_call: 'fc', custom_tool_call: 'ctc' }),
);

function isInside(name: string, step: string): boolean {
  const isPart = name === partLists.content.event || name === partLists.summary.event;
  if (isPart) return step === 'added' || step === 'done';
  const kind = kindOf(name);
  return kind !== undefined && (name !== kind.event || step === 'delta' || step === 'done');
}

function typeOfPart(name: string, { fields }: PassedEvent): string {
  const isReasoning = name === partLists.summary.event || objectOf(fields.part)?.type === 'reasoning_text';
  return isReasoning ? 'reasoning' : 'message';
}

/** Merges two versions of an item. For items with a known order, the values already sent win. */
function mergeItem(sent: WireObject, other: WireObject | undefined): WireObject {
  if (!other) return sent;
  const { id, call_id: callId } = sent;
  return isOrdered(sent)
    ? { ...other, ...sent }
    : { ...sent, ...other, id, ...(callId !== undefined && { call_id: callId }) };
}

/** Finds an item in the provider's list: by its id, else by its index. */
function findItem(output: readonly WireObject[], item: WireObject | undefined, at: number): WireObject | undefined {
  if (!item) return undefined;
  const sameIndex = output[at];
  return (
    output.find(({ id }) => id !== undefined && id === item.id) ??
    (sameIndex?.type === item.type ? sameIndex : undefined)
  );
}
