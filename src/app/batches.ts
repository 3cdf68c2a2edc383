import type { KeyRing } from '../money/accounts/key-ring.ts';
import { BackgroundRequests } from '../work/batches/background-requests.ts';
import { Batches } from '../work/batches/batches.ts';
import { BatchRunner } from '../work/batches/batch-runner.ts';
import type { BatchRow } from '../work/batches/batch-rows.ts';
import type { SecretVault } from '../platform/secrets/secret-vault.ts';
import type { ReplyClaims } from '../platform/cluster/reply-claims.ts';
import type { Config } from '../platform/config/config.ts';
import { DiskReserve } from '../work/files/disk-reserve.ts';
import { Files } from '../work/files/files.ts';
import type { RunningRequests } from '../serving/inference/running-requests.ts';
import { idleTerms } from '../serving/routing/fair-queue/idle-terms.ts';
import { batchEndpoints, isBatchEndpoint } from '../serving/surfaces/batches/endpoints.ts';
import { type LineParts, runLine } from '../serving/surfaces/batches/run-line.ts';
import type { Creations } from '../serving/surfaces/creations.ts';
import { identityOf, openingIn } from '../serving/surfaces/responses/background/background-conversation.ts';
import { BackgroundResponses } from '../serving/surfaces/responses/background/background-responses.ts';
import type { IdempotencyClaims } from '../serving/surfaces/replies/idempotency-claims.ts';
import { EventRelay } from '../serving/surfaces/responses/background/event-relay.ts';
import type { InFlightResponses } from '../serving/surfaces/responses/in-flight-responses.ts';
import type { ResponseStorage } from '../serving/surfaces/responses/sealed-responses.ts';
import { freeSpace } from '../platform/store/sqlite/free-space.ts';
import { fullDisk } from '../platform/store/sqlite/full-disk.ts';
import type { Store } from '../platform/store/store.ts';
import { logRepeated } from '../operate/telemetry/logs/repeated-error.ts';
import type { Recorder } from '../operate/telemetry/metrics/recorder.ts';
import { deletionError } from './logged-errors.ts';
import type { ServiceParts } from './gateway.ts';
import { httpLimits, surfaceSettings } from './settings.ts';

interface FileStoreParts extends ServiceParts {
  readonly vault: SecretVault;
  readonly newId: () => string;
  readonly config: () => Config;
}

/** Files and batches, and their periodic deletion. */
export function openBatches({ store, clock, log, vault, newId, config }: FileStoreParts) {
  const keepMs = (): number => config().batches.retention;
  const limits = () => ({ ...config().batches, lineBytesMax: config().limits.bodyBytesMax });
  const files = new Files({ store, vault, clock, newId, limits, reserve: diskReserve(store, config) });
  const parts = { store, clock, newId, files, keepMs, quota: () => config().batches };
  const batches = new Batches(parts);
  const background = new BackgroundRequests({ ...parts, vault, batches, settings: () => config().batches });
  const onError = deletionError(log);
  const deletions = [files.retention(onError), batches.retention(onError)];
  return {
    files,
    batches,
    backgroundRequests: background,
    start: () => deletions.forEach((each) => each.start()),
    stop: () => deletions.forEach((each) => each.stop()),
  };
}

/** PostgreSQL watches its own disk. */
function diskReserve(store: Store, config: () => Config): DiskReserve | undefined {
  const { data, database } = config();
  if (database !== undefined) return undefined;
  return new DiskReserve({
    space: () => freeSpace(store.db, data),
    reserveBytes: () => config().batches.freeBytesMin,
    isFull: (error) => fullDisk(data, error) !== undefined,
  });
}

interface RunnerParts extends FileStoreParts {
  readonly processId: () => string;
  readonly isSurelyAlive: () => boolean;
  readonly holdsMoney: (accountId: string) => boolean;
  readonly keys: KeyRing;
  readonly surface: Omit<LineParts, 'idle' | 'limits' | 'identity' | 'relay'>;
  readonly files: Files;
  readonly batches: Batches;
  readonly backgroundRequests: BackgroundRequests;
  readonly background: BackgroundResponses;
  readonly relay: EventRelay | undefined;
  readonly recorder: Pick<Recorder, 'batchLines'> | undefined;
}

interface BackgroundParts extends Pick<FileStoreParts, 'clock' | 'log' | 'vault' | 'config'> {
  readonly backgroundRequests: BackgroundRequests;
  readonly storage: ResponseStorage;
  readonly creations: Creations;
  readonly inFlight: InFlightResponses;
  readonly running: RunningRequests;
  readonly claims: { readonly claims: ReplyClaims; readonly replies: IdempotencyClaims } | undefined;
}

/** Responses in the background, and the relay of their events to other processes, if there are any. */
export function openBackground({ backgroundRequests: requests, claims, config, ...parts }: BackgroundParts) {
  const onError = logRepeated(parts.log, parts.clock, 'events of a response could not be relayed');
  const relay = claims && new EventRelay({ ...parts, ...claims, requests, onError });
  const keepAliveEveryMs = (): number => surfaceSettings(config)().keepAliveEveryMs;
  return { relay, background: new BackgroundResponses({ ...parts, requests, relay, keepAliveEveryMs }) };
}

/** Runs the batches of all accounts in this process. */
export function batchRunner({ surface, config, keys, recorder, background, ...parts }: RunnerParts): BatchRunner {
  const { clock, log, backgroundRequests, relay } = parts;
  const line: LineParts = {
    ...surface,
    keys,
    limits: () => httpLimits(config()),
    relay,
    identity: (batch) => identityOf(batch.id, openingIn(backgroundRequests.openingOf(batch))),
    idle(batch, seat) {
      if (batch.kind === 'response') return undefined;
      const { id: batchId, created_at: from, expires_at: until, now } = batch;
      // By the clock of the database: a wrong clock of this process would give the batch another share.
      const elapsedAt = (at: number): number => clock.elapsed() + at - now;
      return idleTerms({ batchId, fromMs: elapsedAt(from), untilMs: elapsedAt(until) }, seat);
    },
  };
  return new BatchRunner({
    ...parts,
    settings: () => config().batches,
    keepMs: () => config().batches.retention,
    run: (attempt) => runLine(line, attempt),
    storeResponse: (ended) => background.store(ended),
    access: (batch) => accessOf(batch, { keys, surface }),
    count: (outcome, lines) => recorder?.batchLines(outcome, lines),
    onError: logRepeated(log, clock, 'a batch could not be processed'),
  });
}

async function accessOf(
  { key_id: keyId, host, endpoint }: BatchRow,
  { keys, surface }: Pick<RunnerParts, 'keys' | 'surface'>,
): Promise<((model: string) => boolean) | undefined> {
  const key = await keys.holderWithId(keyId);
  const { catalog } = surface.inference.current();
  if (!key || !isBatchEndpoint(endpoint)) return undefined;
  const caller = { key, site: catalog.siteFor(host) ?? '' };
  return (model) => catalog.find(caller, model, batchEndpoints[endpoint]) !== undefined;
}
