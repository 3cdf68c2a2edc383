import { objectOf, parsedJson, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { ItemEvents, type ResponseEvent } from '../answer/item-events.ts';
import {
  kindInItem,
  type PartList,
  partLists,
  partText,
  type TextKind,
  textKinds,
  withType,
} from '../answer/item-texts.ts';
import { withValues, type PassedEvent, createEvent } from './passed-event.ts';

/** Adds events that are missing and drops repeated ones, for strict clients. Correct events pass unchanged. */
export class PassedItem extends ItemEvents {
  /** Whether the item seems complete before its done event. */
  get mayEnd(): boolean {
    if (this.type === 'message' || this.type === 'reasoning') return true;
    const input = this.text;
    return input?.isDone === true || (this.type === 'function_call' && parsedJson(input?.sent ?? '') !== undefined);
  }

  fits(name: string): boolean {
    if (name === partLists.content.event) return this.type === 'message' || this.type === 'reasoning';
    if (name === partLists.summary.event) return this.type === 'reasoning';
    return kindOf(name)?.item === this.type;
  }

  /** Begins the item. The provider may not have sent an event for it. */
  begin(event?: PassedEvent): readonly PassedEvent[] {
    return passed([this.added()], event);
  }

  /** Takes an event of this item. `name` is its type without `response.` and without the step. */
  take(name: string, step: string, event: PassedEvent): readonly PassedEvent[] {
    if (name === partLists.content.event) return this.#takePart('content', step, event);
    if (name === partLists.summary.event) return this.#takePart('summary', step, event);
    const kind = kindOf(name);
    if (!kind) return [];
    if (name !== kind.event) {
      const opened = this.text ? [] : this.openPart(kind);
      return [...passed(opened), withValues(event, this.position)];
    }
    return step === 'delta' ? this.#takeDelta(kind, event) : this.#takeText(kind, event);
  }

  end(final: WireObject | undefined, event?: PassedEvent, status?: string): readonly PassedEvent[] {
    const hasNoInput = this.type === 'function_call' && this.text?.sent === '';
    const input = hasNoInput && nonEmptyString(final?.arguments) === undefined ? this.textDone('{}') : [];
    return passed([...input, ...this.done(final, status)], event);
  }

  #takePart(list: PartList, step: string, event: PassedEvent): readonly PassedEvent[] {
    const provided = objectOf(event.fields.part);
    const kind = kindInItem(this.type, list, provided);
    if (!kind) return this.#takeUnknownPart(list, step, event);
    const part = withType(provided, kind);
    if (step === 'added') return passed(this.openPart(kind, part), event);
    if (this.text?.kind === kind) return passed(this.partDone(part), event);
    if (this.#hasEnded(list, partText(part))) return [];
    return passed([...this.openPart(kind), ...this.partDone(part)], event);
  }

  /** An unknown part counts in its list and passes unchanged. */
  #takeUnknownPart(list: PartList, step: string, event: PassedEvent): readonly PassedEvent[] {
    const ended = passed(this.partDone());
    const unknownPart = withValues(event, this.position);
    if (step === 'done') this.skipPart(list, objectOf(event.fields.part) ?? {});
    return [...ended, unknownPart];
  }

  #takeDelta(kind: TextKind, event: PassedEvent): readonly PassedEvent[] {
    const { delta, logprobs } = event.fields;
    if (typeof delta !== 'string' || (kind.list === undefined && this.text?.isDone)) return [];
    return passed(this.delta(kind, delta, Array.isArray(logprobs) ? logprobs : []), event);
  }

  #takeText(kind: TextKind, event: PassedEvent): readonly PassedEvent[] {
    const whole = nonEmptyString(event.fields[kind.field]) ?? '';
    const open = this.text;
    if (open?.isDone || (kind.list && open?.kind !== kind && this.#hasEnded(kind.list, whole))) return [];
    const { logprobs } = event.fields;
    const done = [...this.openPart(kind), ...this.textDone(whole, Array.isArray(logprobs) ? logprobs : [])];
    return passed(done, event);
  }

  /** A part that has already ended is sent only once. */
  #hasEnded(list: PartList, text: string): boolean {
    return this.partsDone(list).some((part) => partText(part) === text);
  }
}

/** Returns the events to pass on. The provider sent the last one, the others were missing. */
function passed(events: readonly ResponseEvent[], event?: PassedEvent): readonly PassedEvent[] {
  const last = events.length - 1;
  return events.map((each, at) => (event && at === last ? withValues(event, each) : createEvent(each.type, each)));
}

export function kindOf(name: string): TextKind | undefined {
  return textKinds.get(name.replace(/\.annotation$/, ''));
}
