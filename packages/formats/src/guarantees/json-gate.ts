import { anomalies } from '../anomaly.ts';
import type { EventFlow } from '../chat/event-flow.ts';
import type { ChoiceEvent, StreamEvent } from '../chat/stream-event.ts';
import type { CheckedSchema } from './checked-schema.ts';
import { GateViolation, type ChoiceGate, type Finish, isCutOff, ConstraintGate } from './constraint-gate.ts';
import { afterLeadIn, extractJson, JsonText } from './json-text.ts';
import type { TextDelta } from './choice-cutters.ts';

export interface JsonTerms {
  readonly choices: number;
  /** The characters with which a structure may begin, as `rootsOf` returns them for a schema. `{` for any object. */
  readonly roots: string;
  readonly schema?: CheckedSchema | undefined;
  /** `stream`: sent as it arrives, while it can still become valid. `whole`: sent when complete and valid. */
  readonly delivery: 'stream' | 'whole';
}

/** Maximum characters of one choice that are held back or kept for validation. */
const heldMax = 1024 * 1024;
/** The most characters after the value before the provider is cancelled. Its own end reports the usage. */
const afterwordMax = 4096;

/** Passes one JSON value and nothing around it. Prose before it is dropped if there is only one possible value. */
export class JsonGate extends ConstraintGate {
  constructor(source: EventFlow, terms: JsonTerms) {
    super(source, terms.choices, (choice) => new JsonOfChoice(choice, terms));
  }
}

class JsonOfChoice implements ChoiceGate {
  readonly #choice: number;
  readonly #terms: JsonTerms;
  readonly #json = new JsonText();
  /** Before the value, in prose that may contain a value, inside the value, or after it. */
  #phase: 'before' | 'prose' | 'inside' | 'after' = 'before';
  /** The text before the value. In the phase `prose`, the whole text. */
  #lead = '';
  /** Kept until the end: deltas that were not sent, and the text for validation. */
  #held: TextDelta[] = [];
  #text: string[] = [];
  #size = 0;
  #afterword = 0;
  #hasCalls = false;

  constructor(choice: number, terms: JsonTerms) {
    this.#choice = choice;
    this.#terms = terms;
  }

  get endsEarly(): boolean {
    return this.#afterword > afterwordMax;
  }

  pass(event: ChoiceEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    if (event.type === 'text-delta') return this.#take(event);
    if (event.type === 'finish') return this.#finish(event);
    if (event.type === 'tool-call-start') this.#hasCalls = true;
    return [event];
  }

  #take(event: TextDelta): readonly StreamEvent[] {
    switch (this.#phase) {
      case 'before':
        return this.#before(event);
      case 'prose':
        this.#grow(event.text.length);
        this.#lead += event.text;
        return [];
      case 'inside':
        return this.#inside(event);
      case 'after':
        this.#afterword += event.text.length;
        return [];
      default:
        return this.#phase satisfies never;
    }
  }

  #before(event: TextDelta): readonly StreamEvent[] {
    this.#grow(event.text.length);
    this.#lead += event.text;
    const rest = afterLeadIn(this.#lead);
    if (rest === undefined) {
      if (this.#lead.length > afterwordMax) throw violation('it begins with blanks and does not go on');
      return [];
    }
    if (!this.#terms.roots.includes(rest.charAt(0))) {
      this.#phase = 'prose';
      return [];
    }
    this.#phase = 'inside';
    return this.#inside(rest === event.text ? event : { type: 'text-delta', choice: this.#choice, text: rest });
  }

  #inside(event: TextDelta): readonly StreamEvent[] {
    const { json, end } = this.#json.push(event.text);
    if (this.#json.words !== undefined) throw violation(`it is not valid JSON: ${this.#json.words}`);
    if (this.#json.isDone) {
      this.#phase = 'after';
      this.#afterword = event.text.length - end;
    }
    return this.#emit(json === event.text ? event : { type: 'text-delta', choice: this.#choice, text: json });
  }

  #emit(delta: TextDelta): readonly StreamEvent[] {
    if (delta.text === '') return [];
    const isBuffered = this.#terms.delivery === 'whole';
    if (isBuffered) this.#held.push(delta);
    if (this.#terms.schema || isBuffered) {
      this.#grow(delta.text.length);
      this.#text.push(delta.text);
    }
    return isBuffered ? [] : [delta];
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size > heldMax) throw violation(`it is longer than ${heldMax} characters`);
  }

  #finish(event: Finish): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    const isCut = isCutOff(event);
    if (this.#phase === 'before' || this.#phase === 'prose') {
      // If the model calls tools, the text is not the answer yet.
      if (isCut || this.#hasCalls) return [...this.#droppedText(), event];
      return this.#complete(this.#extract(), event);
    }
    // The finish reason shows the client why the answer was cut off.
    if (isCut && this.#phase === 'inside') return [...this.#held, event];
    const rest = this.#phase === 'inside' ? this.#json.close() : '';
    if (!this.#json.isDone) throw violation(`it is not valid JSON: ${this.#json.words ?? 'it is not complete'}`);
    const closing = this.#emit({ type: 'text-delta', choice: this.#choice, text: rest });
    const notes: StreamEvent[] = this.#json.isRepaired ? [{ type: 'anomaly', what: anomalies.repairedJson }] : [];
    return this.#complete([...closing, ...notes], event);
  }

  #droppedText(): readonly StreamEvent[] {
    return this.#lead.trim() === '' ? [] : [{ type: 'anomaly', what: anomalies.textAroundJson }];
  }

  /** Finds the value in a text that does not begin with it. Nothing was sent yet, so the value counts as held back. */
  #extract(): readonly StreamEvent[] {
    const { roots, schema } = this.#terms;
    const text = extractJson(this.#lead, roots, schema !== undefined);
    if (text === undefined) throw violation(this.#lead.trim() === '' ? 'it is empty' : 'it is not one JSON value');
    this.#held = [{ type: 'text-delta', choice: this.#choice, text }];
    this.#text = [text];
    return [{ type: 'anomaly', what: anomalies.textAroundJson }];
  }

  #complete(last: readonly StreamEvent[], finish: Finish): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    const { schema } = this.#terms;
    return schema ? this.#validate(schema, last, finish) : [...this.#held, ...last, finish];
  }

  async #validate(
    schema: CheckedSchema,
    last: readonly StreamEvent[],
    finish: Finish,
  ): Promise<readonly StreamEvent[]> {
    const text = this.#text.join('');
    const { words, json } = await schema.validate(text);
    if (words === undefined) return [...this.#held, ...last, finish];
    if (this.#held.length === 0 || json === undefined) throw violation(`it does not fit the schema: ${words}`);
    const anomaly: StreamEvent = { type: 'anomaly', what: anomalies.fittedJson };
    return [{ type: 'text-delta', choice: this.#choice, text: json }, ...last, anomaly, finish];
  }
}

function violation(words: string): GateViolation {
  return new GateViolation('json', `The answer has to be one JSON value and nothing else, but ${words}.`);
}
