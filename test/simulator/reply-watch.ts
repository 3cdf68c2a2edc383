import type { Client, ClientWatch } from './client.ts';
import type { Disks } from './disks.ts';
import type { SeenCall } from './seen-call.ts';
import type { ReplyTiming } from './scenario.ts';
import type { SharedStore } from './shared-store.ts';
import type { World } from './world.ts';

/** A frame may come this much too late: the gateway does not measure silence more finely. */
const lateMs = 200;
/** A provider may stay paused this long although a client could read. */
const heldUpMs = 20;

interface ReplyParts {
  readonly world: World;
  readonly store: SharedStore;
  readonly disks: Disks;
  /** The calls whose providers are paused. */
  readonly paused: ReadonlySet<SeenCall>;
  readonly clients: () => readonly Client[];
  readonly timing: ReplyTiming;
  readonly broken: (rule: string) => void;
}

/**
 * Watches the replies to clients. No client stays without a frame for much longer than the keep-alive interval, or
 * waits for another client that does not read. No client receives the end of an answer before its charge is stored.
 */
export class ReplyWatch {
  readonly #parts: ReplyParts;
  /** Since when a provider is paused although a client could read. */
  readonly #heldUpMs = new Map<SeenCall, number>();

  constructor(parts: ReplyParts) {
    this.#parts = parts;
  }

  get ofClients(): ClientWatch {
    return {
      received: (client, silentMs) => this.#received(client, silentMs),
      done: (client) => this.#done(client),
      wroteAfterEnd: ({ plan }) => this.#parts.broken(`${plan.id} received something after the end`),
    };
  }

  /** Called after every step. */
  check(): void {
    const { world, paused, broken } = this.#parts;
    for (const call of this.#heldUpMs.keys()) if (!paused.has(call)) this.#heldUpMs.delete(call);
    for (const call of paused) {
      const reader = this.#readyReader(call);
      const sinceMs = this.#heldUpMs.get(call) ?? world.nowMs;
      if (reader) this.#heldUpMs.set(call, sinceMs);
      else this.#heldUpMs.delete(call);
      if (!reader || world.nowMs - sinceMs <= heldUpMs) continue;
      broken(`${reader.plan.id} reads, but its provider is paused for another client`);
      this.#heldUpMs.set(call, Number.POSITIVE_INFINITY);
    }
  }

  #readyReader({ requestId, gateway, outcome }: SeenCall): Client | undefined {
    if (outcome !== 'running') return undefined;
    return this.#parts.clients().find((client) => {
      const { ending, machine, reading } = client;
      if (ending || machine.name !== gateway || machine.state !== 'running') return false;
      return reading.isUpToDate && sourceRequestOf(client) === requestId;
    });
  }

  #received(client: Client, silentMs: number): void {
    const { world, timing, broken } = this.#parts;
    const { state, lastFaultMs } = client.machine;
    if (state !== 'running' || lastFaultMs > world.nowMs - silentMs) return;
    const isFirst = client.receivedText === '';
    const { holdHeadersMs, keepAliveEveryMs } = timing;
    const mostMs = 2 * keepAliveEveryMs + (isFirst ? holdHeadersMs : 0) + lateMs;
    if (silentMs > mostMs) broken(`${client.plan.id} received nothing for ${Math.round(silentMs)} ms`);
  }

  #done(client: Client): void {
    const { store, disks, broken } = this.#parts;
    const source = sourceRequestOf(client);
    if (source === undefined) return;
    if (disks.isSynced(source) || store.rows(chargeOf, source).length > 0) return;
    broken(`${client.plan.id} received the end of ${source} before its charge was stored`);
  }
}

/** The id of the request that generated the reply, from its frames. */
export function sourceRequestOf({ receivedText }: Client): string | undefined {
  return /"id":"chatcmpl-(\w+)"/.exec(receivedText)?.[1];
}

const chargeOf = "select 1 from transfers where reference = ? and kind in ('charge', 'charge-rest')";
