import { GatewayError } from '../../core/gateway-error.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { isObject } from '../wire-value.ts';
import { answerDecoder, type ChoiceFormat } from './answer-decoder.ts';
import { type DeltaTemplate, learnTemplate, matchTemplate } from './delta-template.ts';

/** Turns the data of a provider's events into the words of core, one read at a time. */
export interface StreamDecoder {
  /**
   * Takes the data of all events of one read. Throws when the provider failed, but never swallows what came before: a
   * failure behind other events of the same read is thrown by the next call.
   */
  push(payloads: readonly string[]): readonly StreamEvent[];
  /** The source is exhausted. Throws unless the answer was complete. */
  end(): readonly StreamEvent[];
  /** Nothing more will come of reading on: the source may be closed and `end` called. */
  readonly isDone: boolean;
  /** What the provider got wrong and was mended, in words for the log. */
  readonly anomalies: readonly string[];
}

/** A provider may stutter; one that sends more than this is not speaking the format. */
const garbageMax = 10;

/** One for each kind of text of a few choices. */
const templatesMax = 8;

/** Templates learned in a row that fitted nothing: this provider's chunks differ in more than their text. */
const uselessTemplatesMax = 8;

export function streamDecoder(format: ChoiceFormat, options: { readonly templates: boolean }): StreamDecoder {
  const anomalies = new Set<string>();
  const answer = answerDecoder(format, (what) => anomalies.add(what));
  let templates: readonly DeltaTemplate[] = [];
  let uselessTemplates = options.templates ? 0 : uselessTemplatesMax;
  let garbage = 0;
  let isDone = false;
  let failure: unknown;

  const matchesTemplate = (payload: string, events: StreamEvent[]): boolean => {
    for (const template of templates) {
      const text = matchTemplate(template, payload);
      if (text === undefined) continue;
      if (text !== '') events.push({ type: template.type, choice: template.choice, text });
      uselessTemplates = 0;
      return true;
    }
    return false;
  };
  const read = (payload: string, events: StreamEvent[]): void => {
    if (matchesTemplate(payload, events)) return;
    const data = payload.trim();
    if (data === '') return;
    if (data === '[DONE]') return complete(events, true);
    const chunk = parsed(data);
    if (!isObject(chunk)) return drop();
    answer.push(chunk, events);
    if (uselessTemplates < uselessTemplatesMax) learn(payload, chunk);
  };
  const drop = (): void => {
    anomalies.add('garbage');
    garbage++;
    if (garbage > garbageMax) throw notTheFormat();
  };
  const learn = (payload: string, chunk: Parameters<typeof answer.push>[0]): void => {
    const plain = answer.plainDelta(chunk);
    if (!plain || (plain.type === 'text-delta' && !answer.isPlain(plain.choice))) return;
    const template = learnTemplate(payload, plain, (tried) => (isObject(tried) ? answer.plainDelta(tried) : undefined));
    uselessTemplates++;
    if (!template) return;
    const others = templates.filter(({ type, choice }) => type !== template.type || choice !== template.choice);
    templates = [template, ...others].slice(0, templatesMax);
  };
  const complete = (events: StreamEvent[], isDeclared: boolean): void => {
    isDone = true;
    answer.end(events, isDeclared);
  };

  return {
    push(payloads) {
      if (failure) throw failure;
      const events: StreamEvent[] = [];
      try {
        for (const payload of payloads) if (!isDone) read(payload, events);
      } catch (error) {
        isDone = true;
        failure = error;
        if (events.length === 0) throw error;
      }
      return events;
    },
    end() {
      if (failure) throw failure;
      const events: StreamEvent[] = [];
      if (!isDone) complete(events, false);
      return events;
    },
    get isDone() {
      return isDone;
    },
    get anomalies() {
      return [...anomalies];
    },
  };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function notTheFormat(): GatewayError {
  return new GatewayError('upstream-failed', {
    cause: new Error(`More than ${garbageMax} events of the provider's stream are not JSON objects.`),
  });
}
