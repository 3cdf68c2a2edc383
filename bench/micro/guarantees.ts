import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { CallGate } from 'chat-formats/guarantees/call-gate.ts';
import { CuttingGate } from 'chat-formats/guarantees/cutting-gate.ts';
import { validateAndRepair } from 'chat-formats/guarantees/validate-and-repair.ts';
import { JsonGate } from 'chat-formats/guarantees/json-gate.ts';
import { enforcedConstraints, type ConstrainedRequest } from 'chat-formats/guarantees/enforced-constraints.ts';
import { schemaCompiler } from 'chat-formats/guarantees/validator.ts';
import { chunksPerAnswer } from '../workload.ts';
import type { Micro } from './measure.ts';

/** A flow with given events, and a reader that keeps the last batch. */
class Played implements EventFlow, EventSink {
  #sink: EventSink | undefined;
  last: unknown;
  start(sink: EventSink): void {
    this.#sink = sink;
  }
  play(batches: readonly (readonly StreamEvent[])[]): void {
    for (const batch of batches) this.#sink?.events(batch);
  }
  pause(): void {}
  resume(): void {}
  cancel(): void {}
  events(batch: readonly StreamEvent[]): void {
    this.last = batch;
  }
  end(): void {}
  fail(error: unknown): void {
    throw error;
  }
}

const value = { items: Array.from({ length: chunksPerAnswer }, (_, n) => ({ n, name: `item ${n}`, isReady: true })) };
const schema = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: { n: { type: 'integer' }, name: { type: 'string' }, isReady: { type: 'boolean' } },
        required: ['n', 'name', 'isReady'],
        additionalProperties: false,
      },
    },
  },
  required: ['items'],
};
const text = JSON.stringify(value);
const size = Math.ceil(text.length / chunksPerAnswer);
const batches = Array.from({ length: chunksPerAnswer }, (_, at): readonly StreamEvent[] => [
  { type: 'text-delta', choice: 0, text: text.slice(at * size, (at + 1) * size) },
]);
const validator = schemaCompiler()(schema);

type Gate = (source: EventFlow) => EventFlow;
const checked: Gate = (source) => new JsonGate(source, { roots: '{', delivery: 'stream', choices: 1 });
const gates: Readonly<Record<string, Gate>> = {
  'stop sequences over an answer': (source) => new CuttingGate(source, { stop: ['\n\nEND', '###'], choices: 1 }),
  'the token cap over an answer': (source) => new CuttingGate(source, { maxTokens: 100_000, choices: 1 }),
  'tool_choice none over an answer': (source) => new CallGate(source, { toolChoice: 'none', choices: 1 }),
};

function played(gate: Gate): unknown {
  const source = new Played();
  const reader = new Played();
  gate(source).start(reader);
  source.play(batches);
  return reader.last;
}

const passing = new Played();
passing.start(passing);
const oneBatch = batches.slice(0, 1);
function passedOn(): unknown {
  passing.play(oneBatch);
  return passing.last;
}

const asksForNothing: ConstrainedRequest = {
  stop: [],
  maxTokens: undefined,
  tools: [],
  toolChoice: undefined,
  parallelToolCalls: undefined,
  answerFormat: undefined,
};
const providers = [{}];

/**
 * The cost of an enforced constraint for an answer of many chunks. A request without constraints has none of these
 * stages.
 */
export const guaranteeMicros: readonly Micro[] = [
  {
    name: 'a request without constraints',
    floorName: 'pass on one of its chunks unread',
    work: () => enforcedConstraints(asksForNothing, undefined, providers),
    floor: () => passedOn(),
  },
  ...Object.entries(gates).map(([name, gate]) => ({
    name,
    floorName: 'pass on its chunks unread',
    work: () => played(gate),
    floor: () => played((source) => source),
  })),
  {
    name: 'check JSON as it streams',
    floorName: 'parse its text',
    work: () => played(checked),
    floor: () => JSON.parse(text),
  },
  {
    name: 'validate JSON against its schema',
    floorName: 'parse its text',
    work: () => validateAndRepair(text, validator),
    floor: () => JSON.parse(text),
  },
];
