import { GatewayError } from '../../core/gateway-error.ts';
import { isObject, listOf, objectOf, type WireObject, wordOf } from '../wire-value.ts';
import { ItemPlaces, itemsMax } from './item-places.ts';
import { changed, type PassedEvent, toldEvent } from './passed-event.ts';
import { isOrdered, PassedItem } from './passed-item.ts';
import { textKinds } from './passed-parts.ts';

/** Maximum characters of events held until another item ends. */
const heldCharactersMax = 4 * 1024 * 1024;

/**
 * Puts the events of a provider's answer into the order that strict clients require. Items come one after the other,
 * each added first and done last, with consecutive indexes and unique ids. Events in the correct order and unknown
 * events pass unchanged.
 */
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
  readonly #places = new Map<unknown, number>();
  readonly #theirs = new ItemPlaces();
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

  /** All items as sent so far. */
  get soFar(): readonly WireObject[] {
    const open = this.#open?.item;
    return this.#items.map((item, at) => (at === open?.index ? open.soFar : item));
  }

  take(event: PassedEvent): readonly PassedEvent[] {
    const [, name = '', step = ''] = /^response\.(.+)\.(\w+)$/.exec(event.type) ?? [];
    if (name === 'output_item') return this.#itemEvent(step, this.#located(event));
    // A variant of the format uses this name, and some clients fail on it.
    if (name === 'reasoning') return this.take(toldEvent(`response.reasoning_text.${step}`, event.fields));
    if (isInside(name)) return this.#inside(name, step, this.#located(event));
    return this.#isHeld(event.fields.output_index) ? this.#hold(event) : [this.#placed(event)];
  }

  /** Ends the open item, releases held events, and sends items that only the last event contains. */
  end(terminal: PassedEvent): { readonly events: readonly PassedEvent[]; readonly terminal: PassedEvent } {
    this.#isEnding = true;
    const response = objectOf(terminal.fields.response) ?? {};
    const output = listOf(response.output).filter(isObject);
    const status = response.status === 'incomplete' ? 'incomplete' : 'completed';
    const index = this.#open?.item.index ?? -1;
    const events = [...this.#endOpen(sameItem(output, this.#items[index], index), status), ...this.#release()];
    events.push(...this.#endOpen(undefined, status));
    const known = new Set(this.#items.map((item, at) => sameItem(output, item, at)));
    for (const item of output.filter((each) => !known.has(each)))
      events.push(...this.#whole(item), ...this.#endOpen(item, status));
    const said = this.#items.map((item, at) => settled(item, sameItem(output, item, at)));
    return { events, terminal: changed(terminal, { response: { ...response, output: said } }) };
  }

  #itemEvent(step: string, event: PassedEvent): readonly PassedEvent[] {
    const item = objectOf(event.fields.item);
    if (!item) return [];
    return step === 'added'
      ? this.#added(item, event)
      : step === 'done'
        ? this.#done(item, event)
        : [this.#placed(event)];
  }

  #added(item: WireObject, event: PassedEvent): readonly PassedEvent[] {
    const open = this.#open;
    if (open && wordOf(item.id) !== undefined && open.id === item.id) return [];
    if (this.#mustWait()) return this.#hold(event);
    const ended = this.#endOpen();
    return [...ended, this.#begin(item, event.fields.output_index, event)];
  }

  #begin(item: WireObject, index: unknown, event?: PassedEvent): PassedEvent {
    if (this.#items.length >= itemsMax) throw tooMuch(`more than ${itemsMax} items`);
    const place = this.#items.length;
    const added = this.#named(item, place);
    this.#items.push(added);
    if (isOrdered(added)) this.#open = { item: new PassedItem(place, added), index, id: item.id };
    else this.#places.set(index, place);
    const fields = { output_index: place, item: added };
    return event ? changed(event, fields) : toldEvent('response.output_item.added', fields);
  }

  #done(item: WireObject, event: PassedEvent): readonly PassedEvent[] {
    const index = event.fields.output_index;
    const open = this.#open;
    if (open && this.#isOpens(item.id, index) && item.type === open.item.type) {
      return [...this.#endOpen(item, 'completed', event), ...this.#release()];
    }
    if (this.#isHeld(index)) return this.#hold(event);
    const place = this.#placeOf(item, index);
    if (place !== undefined) return this.#doneBefore(item, place, event);
    // The provider never sent an added event for it.
    if (this.#mustWait()) return this.#hold(event);
    return [...this.#endOpen(), ...this.#whole(item, index), ...this.#endOpen(item, 'completed', event)];
  }

  /**
   * Returns the client index of an item that is not open, by its id and the provider's index. One of the two may also
   * belong to another item.
   */
  #placeOf({ id, type }: WireObject, index: unknown): number | undefined {
    const place = this.#places.get(index);
    const named = this.#items.findIndex((each) => each.id === id && each.type === type);
    if (named >= 0 && (named === place || !this.#finished.has(named))) return named;
    if (place === undefined || this.#finished.has(place)) return undefined;
    return this.#items[place]?.type === type ? place : undefined;
  }

  /**
   * If the gateway already ended the item because its done event was missing, sends nothing. An item of an unknown type
   * ends as the provider sent it.
   */
  #doneBefore(item: WireObject, place: number, event: PassedEvent): readonly PassedEvent[] {
    const done = settled(this.#items[place] ?? {}, item);
    this.#items[place] = done;
    this.#finished.add(place);
    return isOrdered(done) ? [] : [changed(event, { output_index: place, item: done })];
  }

  #inside(name: string, step: string, event: PassedEvent): readonly PassedEvent[] {
    const index = event.fields.output_index;
    const open = this.#open;
    if (open && this.#isOpens(event.fields.item_id, index) && open.item.fits(name))
      return open.item.take(name, step, event);
    if (this.#isHeld(index)) return this.#hold(event);
    const type = textKinds[name.replace(/\.annotation$/, '')]?.item ?? typeOfPart(name, event);
    // A call that was never added has no name before its end. An item that has ended is sent once.
    if (type !== 'message' && type !== 'reasoning') return [];
    if (step !== 'delta' && this.#places.has(index)) return [];
    if (this.#mustWait()) return this.#hold(event);
    const ended = this.#endOpen();
    const begun = this.#begin({ id: event.fields.item_id, type }, index);
    return [...ended, begun, ...(this.#open?.item.take(name, step, event) ?? [])];
  }

  /** Begins an item for which only the final state arrived. */
  #whole(item: WireObject, index: unknown = this.#items.length): readonly PassedEvent[] {
    return [this.#begin(item, index)];
  }

  #endOpen(told?: WireObject, status = 'completed', event?: PassedEvent): readonly PassedEvent[] {
    const open = this.#open;
    if (!open) return [];
    const events = open.item.end(told, event, status);
    this.#items[open.item.index] = open.item.done ?? {};
    this.#places.set(open.index, open.item.index);
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
  #isOpens(id: unknown, index: unknown): boolean {
    const open = this.#open;
    return open !== undefined && (open.index === index || (wordOf(id) !== undefined && open.id === id));
  }

  #hold(event: PassedEvent): readonly PassedEvent[] {
    this.#held.push(event);
    this.#heldCharacters += event.data.length;
    if (this.#heldCharacters > heldCharactersMax)
      throw tooMuch(`items mixed over more than ${heldCharactersMax} characters`);
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
  #placed(event: PassedEvent): PassedEvent {
    const { output_index: index } = event.fields;
    if (typeof index !== 'number') return event;
    const place = this.#open?.index === index ? this.#open.item.index : this.#places.get(index);
    if (place === undefined) return event;
    const id = this.#items[place]?.id;
    return changed(event, { output_index: place, ...('item_id' in event.fields && { item_id: id }) });
  }

  /** Returns the event with the index of its item, which some providers omit. */
  #located(event: PassedEvent): PassedEvent {
    const place = this.#theirs.of(event.type, event.fields);
    const isNamed = typeof event.fields.output_index === 'number';
    return isNamed ? event : toldEvent(event.type, { ...event.fields, output_index: place });
  }

  /**
   * Returns an item with all fields that clients require at its beginning. Replaces ids that are missing or already
   * used.
   */
  #named(item: WireObject, place: number): WireObject {
    const id = this.#free(this.#ids, item.id, `${prefixes.get(item.type) ?? 'item'}_${this.#id}_${place}`);
    const called =
      'call_id' in item || isCall(item)
        ? { call_id: this.#free(this.#callIds, item.call_id, `call_${this.#id}_${place}`) }
        : {};
    if (!isOrdered(item)) return { ...item, id, ...called };
    return { ...item, ...begun(item), status: 'in_progress', id, ...called };
  }

  #free(taken: Set<unknown>, wanted: unknown, otherwise: string): unknown {
    const name = wordOf(wanted);
    const free = name !== undefined && !taken.has(name) ? name : otherwise;
    taken.add(free);
    return free;
  }
}

const prefixes: ReadonlyMap<unknown, string> = new Map([
  ['message', 'msg'],
  ['reasoning', 'rs'],
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
]);

function isInside(name: string): boolean {
  return (
    name === 'content_part' ||
    name === 'reasoning_summary_part' ||
    Object.hasOwn(textKinds, name.replace(/\.annotation$/, ''))
  );
}

function isCall({ type }: WireObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function typeOfPart(name: string, { fields }: PassedEvent): string {
  const isReasoning = name === 'reasoning_summary_part' || objectOf(fields.part)?.type === 'reasoning_text';
  return isReasoning ? 'reasoning' : 'message';
}

/** The initial fields of an item without content, whatever content the provider already put into it. */
function begun(item: WireObject): WireObject {
  switch (item.type) {
    case 'message':
      return { role: 'assistant', content: [] };
    case 'reasoning':
      return { summary: [], ...(Array.isArray(item.content) && { content: [] }) };
    case 'function_call':
      return { name: wordOf(item.name) ?? '', arguments: '' };
    default:
      return { name: wordOf(item.name) ?? '', input: '' };
  }
}

/**
 * Merges an item with another version of it from the provider. For items with a known order, the values already sent
 * win.
 */
function settled(told: WireObject, other: WireObject | undefined): WireObject {
  if (!other) return told;
  const { id, call_id: callId } = told;
  return isOrdered(told)
    ? { ...other, ...told }
    : { ...told, ...other, id, ...(callId !== undefined && { call_id: callId }) };
}

/** Finds an item in the provider's list: by its id, else by its index. */
function sameItem(output: readonly WireObject[], item: WireObject | undefined, at: number): WireObject | undefined {
  if (!item) return undefined;
  const there = output[at];
  return output.find(({ id }) => id !== undefined && id === item.id) ?? (there?.type === item.type ? there : undefined);
}

function tooMuch(what: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(`The provider's answer has ${what}.`) });
}
