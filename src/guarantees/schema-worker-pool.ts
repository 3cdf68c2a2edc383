import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import {
  FairThread,
  type FairThreadLimits,
  type WorkOutcome,
  type StartThread,
  workThread,
} from '../core/fair-thread.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { recentlyUsed } from '../core/recently-used.ts';
import type { CheckedSchema, Fitting } from './checked-schema.ts';
import { refusal } from './schema-limits.ts';

/** A schema as text, and the text of a value if there is one to be held against it. */
export interface SchemaWork {
  readonly schema: string;
  readonly text: string | undefined;
}

export type SchemaAnswer =
  | { readonly fitting: Fitting | undefined; readonly refused?: undefined }
  | { readonly refused: string };

/**
 * Sizes are characters. The bounds on time are for hostile schemas, of which a small one is enough: an honest one takes a
 * second at the most, if it is as large as may be, and more on a busy machine.
 */
const limits: FairThreadLimits = {
  timeoutMs: 20_000,
  // On a busy machine the start may take longer than that, and says nothing of how much there is to do.
  startMaxMs: 300_000,
  workMaxMs: (size) => Math.min(5000, 2000 + size / 40),
  waitingMax: 32 * 1024 * 1024,
  partyMax: 8 * 1024 * 1024,
};
/** Schemas of which it is remembered whether they can be used. */
const knownMax = 1024;
const memory = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 128 };

/**
 * Holds values against schemas that strangers wrote. Both to compile a schema and to hold a value against it can take as
 * long as its author likes (patterns, alternatives inside alternatives, lists of unlike items), and no look at the schema tells.
 * So all of it is done in a thread that is ended when it takes too long, in which accounts take turns; a schema that did so is
 * refused from then on. The thread begins with the first schema: who never asks for one has nothing of it.
 */
export class SchemaWorkerPool {
  readonly #thread: FairThread<SchemaWork, SchemaAnswer>;
  /** By the hash of the schema's text: why it was refused, or no words if it was not. */
  readonly #known = recentlyUsed<string, string>(knownMax);

  constructor(clock: Clock, startThread: StartThread<SchemaWork, SchemaAnswer> = schemaThread) {
    this.#thread = new FairThread(clock, limits, startThread);
  }

  /** A schema that can be used; `where` says in the client's words where it stands, should it be refused. */
  async checked(schema: Readonly<Record<string, unknown>>, where: string, party: string): Promise<CheckedSchema> {
    const text = JSON.stringify(schema);
    const name = hash(text);
    const words = this.#known.get(name) ?? refusal(schema, text) ?? (await this.#compiled(text, party));
    this.#known.set(name, words);
    if (words !== '') throw unusable(where, words);
    return { fit: (value) => this.#fit({ schema: text, text: value }, where, party) };
  }

  async stop(): Promise<void> {
    await this.#thread.stop();
  }

  /** Why the schema is refused; no words if it is not. */
  async #compiled(schema: string, party: string): Promise<string> {
    const answer = await this.#ask({ schema, text: undefined }, party);
    return answer.refused ?? '';
  }

  /** A schema that turns out to be unusable only now is no mistake of the model's, which nobody asks again because of it. */
  async #fit(work: SchemaWork, where: string, party: string): Promise<Fitting> {
    const answer = await this.#ask(work, party);
    if (answer.refused !== undefined) throw unusable(where, answer.refused);
    return answer.fitting ?? { words: undefined, json: undefined };
  }

  async #ask(work: SchemaWork, party: string): Promise<SchemaAnswer> {
    const size = work.schema.length + (work.text?.length ?? 0);
    const answer = answered(await this.#thread.ask(work, size, party), size);
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

function answered(outcome: WorkOutcome<SchemaAnswer>, size: number): SchemaAnswer {
  if (outcome === 'stuck') return { refused: `it took longer than ${Math.round(limits.workMaxMs(size))} ms` };
  if (outcome === 'unheard') throw new GatewayError('overloaded');
  return outcome.result;
}

/** Loading and compiling take long enough to stall every stream of the process; here they stall nobody. */
const schemaThread: StartThread<SchemaWork, SchemaAnswer> = (events) =>
  workThread(new URL(`./schema-worker${import.meta.url.slice(-3)}`, import.meta.url), memory, events);
