import type { KeyRing } from '../accounts/key-ring.ts';
import { Batches } from '../batches/batches.ts';
import { BatchRunner } from '../batches/batch-runner.ts';
import type { BatchRow } from '../batches/batch-rows.ts';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Config } from '../config/config.ts';
import { Files } from '../files/files.ts';
import { idleTerms } from '../routing/fair-queue/idle-terms.ts';
import { batchEndpoints, isBatchEndpoint } from '../surfaces/batches/endpoints.ts';
import { type LineParts, runLine } from '../surfaces/batches/run-line.ts';
import { logRepeated } from '../telemetry/logs/repeated-error.ts';
import type { Recorder } from '../telemetry/metrics/recorder.ts';
import { deletionError } from './deletion-error.ts';
import type { ServiceParts } from './gateway.ts';
import { httpLimits } from './settings.ts';

interface FileStoreParts extends ServiceParts {
  readonly vault: SecretVault;
  readonly newId: () => string;
  readonly config: () => Config;
}

/** Files and batches, and their periodic deletion. */
export function openBatches({ store, clock, log, vault, newId, config }: FileStoreParts) {
  const keepMs = (): number => config().batches.retention;
  const limits = () => ({ ...config().batches, lineBytesMax: config().limits.bodyBytesMax });
  const files = new Files({ store, vault, clock, newId, limits });
  const batches = new Batches({ store, clock, newId, files, keepMs });
  const onError = deletionError(log);
  const deletions = [files.retention(onError), batches.retention(onError)];
  return {
    files,
    batches,
    start: () => deletions.forEach((each) => each.start()),
    stop: () => deletions.forEach((each) => each.stop()),
  };
}

interface RunnerParts extends FileStoreParts {
  readonly processId: () => string;
  readonly keys: KeyRing;
  readonly surface: Omit<LineParts, 'idle' | 'limits'>;
  readonly files: Files;
  readonly batches: Batches;
  readonly recorder: Pick<Recorder, 'batchLines'> | undefined;
}

/** Runs the batches of all accounts in this process. */
export function batchRunner({ surface, config, keys, recorder, ...parts }: RunnerParts): BatchRunner {
  const { clock, log } = parts;
  const elapsedAt = (at: number): number => clock.elapsed() + at - clock.now();
  const line: LineParts = {
    ...surface,
    keys,
    limits: () => httpLimits(config()),
    idle(batch, seat) {
      if (batch.kind === 'response') return undefined;
      const { id: batchId, created_at: from, expires_at: until } = batch;
      return idleTerms({ batchId, fromMs: elapsedAt(from), untilMs: elapsedAt(until) }, seat);
    },
  };
  return new BatchRunner({
    ...parts,
    settings: () => config().batches,
    keepMs: () => config().batches.retention,
    run: (attempt) => runLine(line, attempt),
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
