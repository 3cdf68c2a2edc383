import { join } from 'node:path';
import { chargeMark, keepLedgerGaps, ledgerName } from '../billing/charge-mark.ts';
import type { Settlement } from '../billing/charging.ts';
import { journal } from '../billing/journal.ts';
import { bookJournals, replayJournals } from '../billing/journal-replay.ts';
import { runningProcesses } from '../billing/processes.ts';
import { RefusedCharge } from '../billing/refused-charge.ts';
import { RefusedCheckpoint } from '../billing/refused-checkpoint.ts';
import { settling } from '../billing/settle.ts';
import { type Wallet, wallet } from '../billing/wallet.ts';
import type { ChangeFeed } from '../cluster/change-feed.ts';
import { BrokenRule } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import type { Failpoint } from '../core/failpoint.ts';
import { openDataFolder } from '../store/data-folder.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import { repeatedTrouble } from '../telemetry/repeated-trouble.ts';

/** The money side of one process: its wallet, and what it keeps on disk so that no charge is lost. */
export interface Money {
  readonly wallet: Wallet;
  /** Books what an earlier process could not, says what is missing, and begins. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly feed: ChangeFeed;
  readonly newId: () => string;
  readonly log: Log;
  readonly failpoint: Failpoint;
  /** The folder of the mark and the journals. */
  readonly folder: string;
}

export async function openMoney({ folder, log, failpoint, ...parts }: Parts): Promise<Money> {
  const { store, clock } = parts;
  // Also where the store is elsewhere, charges that it cannot take are kept here.
  openDataFolder(folder);
  const journals = join(folder, 'journal');
  const mark = chargeMark({
    folder,
    ledger: await ledgerName(store),
    clock,
    onTrouble: (error) => log.error({ error: String(error) }, 'the ledger’s mark could not be written'),
  });
  const outOfReach = repeatedTrouble(clock, (error, met) =>
    log.error({ error: String(error), met }, 'the ledger could not be reached'),
  );
  const onTrouble = (error: unknown): void => {
    if (error instanceof RefusedCharge)
      log.error(namesOf(error), 'a charge cannot be booked: it is kept in the journal and tried again');
    else if (error instanceof RefusedCheckpoint)
      log.error(checkpointNames(error), 'a checkpoint cannot be charged: it is kept in the store and tried again');
    else if (error instanceof BrokenRule) log.error({ error: String(error) }, 'a rule about money was broken');
    else outOfReach(error);
  };
  const deal = async (settlements: readonly Settlement[]): Promise<void> => {
    const { broken } = await store.commit(settling, settlements);
    for (const rule of broken.values()) throw new BrokenRule(rule);
  };
  const purses = wallet({
    ...parts,
    journal: (processId) => journal(journals, processId, failpoint),
    replay: () => bookJournals(journals, { deal, onTrouble }),
    onTrouble,
    booked: (settlements) => mark.booked(settlements),
    failpoint,
  });
  return {
    wallet: purses,
    async start() {
      for (const gap of await keepLedgerGaps(store, folder)) log.error({ gap }, 'charges are missing from the ledger');
      await replayJournals(journals, {
        deal,
        onTrouble,
        alive: async () => (await runningProcesses(store)).filter(({ isAlive }) => isAlive).map(({ id }) => id),
      });
      await purses.start();
    },
    async stop() {
      await purses.stop();
      await mark.stop();
    },
  };
}

function namesOf({ settlement, cause }: RefusedCharge) {
  const { requestId, accountId, cost } = settlement;
  return { request_id: requestId, account_id: accountId, cost: String(cost), error: String(cause) };
}

function checkpointNames({ requestId, accountId, cost, cause }: RefusedCheckpoint) {
  return { request_id: requestId, account_id: accountId, cost, error: String(cause) };
}
