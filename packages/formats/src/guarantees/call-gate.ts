import { anomalies } from '../anomaly.ts';
import type { ToolChoice } from '../chat/chat-request.ts';
import type { EventFlow } from '../chat/event-flow.ts';
import type { ChoiceEvent, StreamEvent } from '../chat/stream-event.ts';
import type { CheckedSchema } from './checked-schema.ts';
import { GateViolation, type ChoiceGate, type Finish, isCutOff, ConstraintGate } from './constraint-gate.ts';

/** The constraints on calls that the gateway enforces. A constraint that is not set is left to the provider. */
export interface CallTerms {
  readonly choices: number;
  readonly toolChoice?: ToolChoice | undefined;
  /** At most one call per choice (`parallel_tool_calls: false`). */
  readonly isSingle?: boolean;
  /** Schemas of the tools whose arguments must fit, by name. */
  readonly strict?: ReadonlyMap<string, CheckedSchema>;
}

/** Maximum characters of one choice that are held back. */
const heldMax = 1024 * 1024;
/** Maximum characters of text before a call, if the answer must be a call. */
const textBeforeCallMax = 64 * 1024;

/**
 * Passes only calls that the request allows. Calls of strict tools, and everything after the first of them, are held
 * until the choice has finished. So all of them fit, and none has been sent if the model must be re-prompted. Their
 * arguments are sent in one piece. If a call is required, the text before it is held until a call begins.
 */
export class CallGate extends ConstraintGate {
  constructor(source: EventFlow, terms: CallTerms) {
    super(source, terms.choices, () => new CallsOfChoice(terms));
  }
}

interface StrictCall {
  readonly name: string;
  readonly checked: CheckedSchema;
  readonly pieces: string[];
}

type Start = Extract<StreamEvent, { type: 'tool-call-start' }>;
type Delta = Extract<StreamEvent, { type: 'tool-call-delta' }>;

class CallsOfChoice implements ChoiceGate {
  readonly #terms: CallTerms;
  readonly #isForced: boolean;
  /** The numbers of calls after the gate, by the provider's numbers. Dropped calls have none. */
  readonly #numbers = new Map<number, number>();
  readonly #strict = new Map<number, StrictCall>();
  #held: ChoiceEvent[] = [];
  #heldSize = 0;
  #isHolding: boolean;
  #hasText = false;
  #hasDropped = false;

  constructor(terms: CallTerms) {
    this.#terms = terms;
    this.#isForced = terms.toolChoice === 'required' || typeof terms.toolChoice === 'object';
    this.#isHolding = this.#isForced;
  }

  pass(event: ChoiceEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    switch (event.type) {
      case 'tool-call-start':
        return this.#start(event);
      case 'tool-call-delta':
        return this.#takeArguments(event);
      case 'finish':
        return this.#finish(event);
      case 'text-delta':
        this.#hasText ||= event.text.trim() !== '';
        return this.#isHolding ? this.#hold(event, event.text.length) : [event];
      default:
        // No constraint applies to reasoning. It is held only after a held event, to keep the order.
        return this.#held.length > 0 ? this.#hold(event, 'text' in event ? event.text.length : 0) : [event];
    }
  }

  #start(event: Start): readonly StreamEvent[] {
    if (!this.#isAllowed(event.name)) {
      this.#hasDropped = true;
      return [{ type: 'anomaly', what: anomalies.unaskedCall }];
    }
    const call = this.#numbers.size;
    this.#numbers.set(event.call, call);
    const start = { ...event, call };
    const checked = this.#terms.strict?.get(event.name);
    if (checked) {
      this.#strict.set(call, { name: event.name, checked, pieces: [] });
      this.#isHolding = true;
    }
    if (this.#strict.size > 0) return this.#hold(start, event.name.length);
    this.#isHolding = false;
    return [...this.#release(), start];
  }

  #isAllowed(name: string): boolean {
    const { toolChoice, isSingle } = this.#terms;
    if (toolChoice === 'none' || (isSingle && this.#numbers.size > 0)) return false;
    return typeof toolChoice !== 'object' || toolChoice.name === name;
  }

  #takeArguments(event: Delta): readonly StreamEvent[] {
    const call = this.#numbers.get(event.call);
    if (call === undefined) return [];
    const strict = this.#strict.get(call);
    if (!strict) return this.#isHolding ? this.#hold({ ...event, call }, event.arguments.length) : [{ ...event, call }];
    strict.pieces.push(event.arguments);
    this.#grow(event.arguments.length);
    return [];
  }

  #hold(event: ChoiceEvent, size: number): readonly StreamEvent[] {
    this.#held.push(event);
    this.#grow(size);
    return [];
  }

  #grow(size: number): void {
    this.#heldSize += size;
    if (this.#strict.size === 0 && this.#heldSize > textBeforeCallMax) throw this.#noCall();
    if (this.#heldSize > heldMax) {
      throw new GateViolation(
        'strict',
        `The arguments are longer than ${heldMax} characters. Call the function with less.`,
      );
    }
  }

  #release(): readonly ChoiceEvent[] {
    return this.#held.splice(0);
  }

  #finish(event: Finish): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    const hasCall = this.#numbers.size > 0;
    if (!hasCall && !isCutOff(event)) {
      if (this.#isForced) throw this.#noCall();
      if (this.#hasDropped && !this.#hasText) throw new GateViolation('tool_choice', noneAllowed);
    }
    const isEmpty = event.reason === 'tool-calls' && !hasCall;
    const finish: Finish = isEmpty ? { ...event, reason: 'stop', raw: 'stop' } : event;
    return this.#strict.size === 0 ? [...this.#release(), finish] : this.#validateCalls(finish);
  }

  /** The held events, with each strict call's arguments after its start, without a call that was cut off. */
  async #validateCalls(finish: Finish): Promise<readonly StreamEvent[]> {
    const last = this.#numbers.size - 1;
    const passed: StreamEvent[] = [];
    for (const event of this.#release()) {
      const strict = event.type === 'tool-call-start' ? this.#strict.get(event.call) : undefined;
      if (event.type !== 'tool-call-start' || !strict) passed.push(event);
      else passed.push(...(await validateCall(event, strict, isCutOff(finish) && event.call === last)));
    }
    return [...passed, finish];
  }

  #noCall(): GateViolation {
    const { toolChoice } = this.#terms;
    const target =
      typeof toolChoice === 'object' ? `the function \`${toolChoice.name}\`` : 'at least one of the functions';
    return new GateViolation(
      'tool_choice',
      `The answer has to call ${target}, and it does not. Make the call, without any text.`,
    );
  }
}

const noneAllowed = 'No function may be called in this answer. Answer in words.';

/** Returns the events of a strict call. Returns none if it was cut off before its arguments were complete. */
async function validateCall(
  start: Start,
  { name, checked, pieces }: StrictCall,
  isCut: boolean,
): Promise<StreamEvent[]> {
  const { choice, call } = start;
  const written = pieces.join('');
  const { words = 'they cannot be checked', json } = await checked.validate(written.trim() === '' ? '{}' : written);
  if (json !== undefined) {
    const repairs: StreamEvent[] = json === written ? [] : [{ type: 'anomaly', what: anomalies.repairedCall }];
    return [start, { type: 'tool-call-delta', choice, call, arguments: json }, ...repairs];
  }
  if (isCut) return [];
  throw new GateViolation('strict', `The arguments of the call of \`${name}\` do not fit its parameters: ${words}.`);
}
