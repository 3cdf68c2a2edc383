import { join } from 'node:path';
import { chargeMark, keepLedgerGaps, ledgerName } from '../money/billing/recovery/charge-mark.ts';
import type { Settlement } from '../money/billing/ledger/charging.ts';
import { journal } from '../money/billing/recovery/journal.ts';
import { bookJournals, replayJournals } from '../money/billing/recovery/journal-replay.ts';
import { runningProcesses } from '../money/billing/recovery/processes.ts';
import { DeadLetterCharge } from '../money/billing/recovery/dead-letter-charge.ts';
import { DeadLetterCheckpoint } from '../money/billing/recovery/dead-letter-checkpoint.ts';
import { settleCharges } from '../money/billing/settle.ts';
import { wallet } from '../money/billing/wallet.ts';
import type { ChangeFeed } from '../platform/cluster/change-feed.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Failpoint } from '../core/failpoint.ts';
import { decimalText } from '../core/money.ts';
import { openDataFolder } from '../platform/store/data-folder.ts';
import { logRepeated } from '../operate/telemetry/logs/repeated-error.ts';
import type { UnbookedCharge } from '../operate/notifications/alerts/charge-watch.ts';
import type { ServiceParts } from './gateway.ts';

interface BillingParts extends ServiceParts {
  readonly feed: ChangeFeed;
  readonly newId: () => string;
  readonly failpoint: Failpoint;
  /** The folder of the high-water mark and the journals. */
  readonly folder: string;
  /** Called for every charge that cannot be booked. */
  readonly refused: (charge: UnbookedCharge) => void;
  readonly onWaiting?: ((sentence: string) => void) | undefined;
}

/** The billing of one process: its wallet, and the journals on disk that keep charges. */
export async function openMoney({ folder, log, failpoint, refused, onWaiting, ...parts }: BillingParts) {
  const { store, clock } = parts;
  // The folder is needed even with a remote store: it keeps charges that the store cannot accept.
  openDataFolder(folder);
  const journals = join(folder, 'journal');
  const mark = chargeMark({
    folder,
    ledger: await ledgerName(store),
    clock,
    onError: (error) => log.error({ error: String(error) }, 'the high-water mark of the ledger could not be written'),
  });
  const onUnreachable = logRepeated(log, clock, 'the ledger could not be reached');
  const onError = (error: unknown): void => {
    if (error instanceof DeadLetterCharge) {
      const { requestId, accountId, cost } = error.settlement;
      log.error(logFields(error.settlement, error), 'a charge cannot be booked: it is kept in the journal and retried');
      refused({ requestId, accountId, cost: decimalText(cost), error: String(error.cause) });
    } else if (error instanceof DeadLetterCheckpoint) {
      const { requestId, accountId, cost } = error;
      log.error(logFields(error, error), 'a checkpoint cannot be charged: it is kept in the store and retried');
      refused({ requestId, accountId, cost: costText(cost), error: String(error.cause) });
    } else if (error instanceof InvariantViolation)
      log.error({ error: String(error) }, 'an invariant about money was violated');
    else onUnreachable(error);
  };
  const deal = async (settlements: readonly Settlement[]): Promise<void> => {
    const { broken } = await store.commit(settleCharges, settlements);
    for (const rule of broken.values()) throw new InvariantViolation(rule);
  };
  const accountLeases = wallet({
    ...parts,
    journal: (processId) => journal(journals, processId, failpoint),
    replay: () => bookJournals(journals, { deal, onError }),
    onError,
    booked: (settlements) => mark.booked(settlements),
    failpoint,
  });
  return {
    wallet: accountLeases,
    /** Books the charges that an earlier process could not book, logs missing ones, and starts. */
    async start() {
      for (const gap of await keepLedgerGaps(store, folder)) log.error({ gap }, 'charges are missing from the ledger');
      await replayJournals(journals, {
        deal,
        onError,
        onWaiting,
        alive: async () => (await runningProcesses(store)).filter(({ isAlive }) => isAlive).map(({ id }) => id),
      });
      await accountLeases.start();
    },
    async stop() {
      await accountLeases.stop();
      await mark.stop();
    },
  };
}

type UnbookedCost = Pick<DeadLetterCheckpoint, 'requestId' | 'accountId'> & { readonly cost: bigint | string };

function logFields({ requestId, accountId, cost }: UnbookedCost, { cause }: Error) {
  return { request_id: requestId, account_id: accountId, cost: String(cost), error: String(cause) };
}

/** As decimal text; unchanged if it is not a number. */
function costText(cost: string): string {
  return /^-?\d+$/.test(cost) ? decimalText(BigInt(cost)) : cost;
}
