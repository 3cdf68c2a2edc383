import { createHash } from 'node:crypto';
import type { Clock } from '../../../core/time/clock.ts';
import {
  FairThread,
  type FairThreadLimits,
  type WorkOutcome,
  type StartThread,
  workThread,
} from '../../../core/fair-thread.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { recentlyUsed } from '../../../core/recently-used.ts';
import type { CheckedSchema, ValidationResult } from 'chat-formats/guarantees/checked-schema.ts';
import { rejectionReason } from 'chat-formats/guarantees/schema-limits.ts';

/** A schema as text, and the text of a value to validate, if there is one. */
export interface SchemaWork {
  readonly schema: string;
  readonly text: string | undefined;
}

export type SchemaAnswer =
  | { readonly fitting: ValidationResult | undefined; readonly refused?: undefined }
  | { readonly refused: string };

/** Sizes in characters; times for hostile schemas. An honest one takes up to 1 s, and more on a busy machine. */
const limits: FairThreadLimits = {
  timeoutMs: 20_000,
  // On a busy machine the start may take longer than `timeoutMs`, whatever the amount of work.
  startMaxMs: 300_000,
  workMaxMs: (size) => Math.min(5000, 2000 + size / 40),
  waitingMax: 32 * 1024 * 1024,
  partyMax: 8 * 1024 * 1024,
};
/** Maximum cached results of schema checks. */
const knownMax = 1024;
const memory = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 128 };

/**
 * Validates values against untrusted schemas. Compiling a schema and validating a value can take unlimited time
 * (patterns, nested alternatives, lists of unique items), and the schema does not show it. So both run in a worker
 * thread that is terminated when it takes too long. Accounts take turns in it. A schema that exceeded the limit is
 * rejected from then on. The thread starts with the first schema.
 */
export class SchemaWorkerPool {
  readonly #thread: FairThread<SchemaWork, SchemaAnswer>;
  /** By the hash of the schema's text: why it was rejected, or '' if it was not. */
  readonly #known = recentlyUsed<string, string>(knownMax);

  constructor(clock: Clock, startThread: StartThread<SchemaWork, SchemaAnswer> = schemaThread) {
    this.#thread = new FairThread(clock, limits, startThread);
  }

  /** Checks a schema. Throws `invalid-request` if it is rejected; `where` is its field in the client's request. */
  async checked(schema: Readonly<Record<string, unknown>>, where: string, party: string): Promise<CheckedSchema> {
    const text = JSON.stringify(schema);
    const name = hash(text);
    const words = this.#known.get(name) ?? rejectionReason(schema, text) ?? (await this.#compile(text, party));
    this.#known.set(name, words);
    if (words !== '') throw unusable(where, words);
    return { validate: (value) => this.#fit({ schema: text, text: value }, where, party) };
  }

  async stop(): Promise<void> {
    await this.#thread.stop();
  }

  /** Returns why the schema is rejected, or '' if it is not. */
  async #compile(schema: string, party: string): Promise<string> {
    const answer = await this.#run({ schema, text: undefined }, party);
    return answer.refused ?? '';
  }

  /** If the schema proves unusable only now, throws: re-prompting the model would not help. */
  async #fit(work: SchemaWork, where: string, party: string): Promise<ValidationResult> {
    const answer = await this.#run(work, party);
    if (answer.refused !== undefined) throw unusable(where, answer.refused);
    return answer.fitting ?? { words: undefined, json: undefined };
  }

  async #run(work: SchemaWork, party: string): Promise<SchemaAnswer> {
    const size = work.schema.length + (work.text?.length ?? 0);
    const answer = toAnswer(await this.#thread.run(work, size, party), size);
    if (answer.refused !== undefined) this.#known.set(hash(work.schema), answer.refused);
    return answer;
  }
}

function unusable(where: string, words: string): GatewayError {
  return new GatewayError('invalid-request', { detail: `${where} cannot be used: ${words}.` });
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function toAnswer(outcome: WorkOutcome<SchemaAnswer>, size: number): SchemaAnswer {
  if (outcome === 'stuck') return { refused: `it took longer than ${Math.round(limits.workMaxMs(size))} ms` };
  if (outcome === 'unheard') throw new GatewayError('overloaded');
  return outcome.result;
}

/** Loading and compiling would stall every stream of the process, so they run in a thread. */
const schemaThread: StartThread<SchemaWork, SchemaAnswer> = (events) =>
  workThread(new URL(`./schema-worker${import.meta.url.slice(-3)}`, import.meta.url), memory, events);
