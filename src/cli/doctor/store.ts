import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { isPepperFile, missingSecrets } from '../../platform/secrets/pepper.ts';
import { storeFile } from '../../manage/backup/contents.ts';
import { integrityLimitMs, integrityOf } from '../../platform/store/sqlite/integrity.ts';
import { fullDisk } from '../../platform/store/sqlite/full-disk.ts';
import { inspectStore, type StoreReport } from '../../platform/store/inspect.ts';
import type { NamedGateway } from '../place.ts';
import type { OtherClock } from './clock.ts';
import { type DoctorFinding, ok, problem, warning } from './finding.ts';

const slowMs = 250;

export interface StoreFindings {
  readonly clocks: readonly OtherClock[];
  readonly findings: readonly DoctorFinding[];
  /** Whether this version can read the store without changing it. */
  readonly isCurrent: boolean;
}

/** Checks the store and the clock of its machine. Changes nothing. */
export async function storeFindings(target: NamedGateway): Promise<StoreFindings> {
  const { data, database, storeName } = target;
  const clocks: OtherClock[] = [];
  const findings: DoctorFinding[] = [...folderFindings(data)];
  let isCurrent = false;
  try {
    const report = await inspectStore(database === undefined ? { data } : { database });
    if (!report) {
      const absent = ok('store', `No store in ${data} yet. The first start creates it.`);
      return { clocks, findings: [...findings, absent], isCurrent };
    }
    isCurrent = report.unknown.length === 0 && report.pending.length === 0;
    if (report.aheadMs !== undefined) clocks.push({ owner: storeName, aheadMs: report.aheadMs });
    findings.push(...stateFindings(report, storeName), ...secretFindings(report, target));
    if (database === undefined) findings.push(...(await integrityFindings(data)));
  } catch (error) {
    const full = database === undefined ? fullDisk(data, error) : undefined;
    findings.push(
      full
        ? problem('store', full.message, full.fix)
        : problem('store', `${storeName} cannot be read: ${messageOf(error)}.`, fixFor(database)),
    );
  }
  return { clocks, findings, isCurrent };
}

async function integrityFindings(data: string): Promise<readonly DoctorFinding[]> {
  const integrity = await integrityOf(join(data, storeFile));
  switch (integrity.state) {
    case 'sound':
      return [];
    case 'damaged':
      return [problem('store', `The store in ${data} is damaged: ${integrity.damage}.`, damageFix(data))];
    case 'unfinished': {
      const says = `The integrity check of the store did not end within ${integrityLimitMs / 1000} s.`;
      return [warning('store', says, 'Take a backup (chat-gateway backup): it checks the whole copy.')];
    }
    default:
      return integrity satisfies never;
  }
}

/** A damaged store may still answer, and every write may make it worse. */
export function damageFix(data: string): string {
  return `Stop the gateway, keep a copy of ${data}, and restore the last backup: chat-gateway restore FOLDER --data ${data}`;
}

function fixFor(database: string | undefined): string {
  return database === undefined
    ? 'Restore a backup (chat-gateway restore FOLDER), or name the right folder with --data DIR.'
    : 'Check that it runs, that its address, user and password are right, and that this machine may connect to it.';
}

function folderFindings(data: string): readonly DoctorFinding[] {
  if (!existsSync(data)) return [];
  try {
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch {
    return [
      problem(
        'store',
        `This user cannot write to ${data}.`,
        `Change its owner to the user that runs the gateway (chown -R USER ${data}).`,
      ),
    ];
  }
}

function stateFindings({ unknown, pending, latencyMs }: StoreReport, storeName: string): readonly DoctorFinding[] {
  if (unknown.length > 0) {
    const last = unknown.at(-1);
    // A newer version has run all migrations of this one.
    if (pending.length === 0) {
      const says = `${storeName} was used by a newer version (it has ${last}).`;
      return [problem('store', says, 'Run that version. This version does not start with it.')];
    }
    const says = `${storeName} was made by a build before the first release (it has ${last}, and lacks ${pending[0]}).`;
    return [problem('store', says, 'Use an empty store, or run that build. This version does not start with it.')];
  }
  const state =
    pending.length === 0
      ? ok('store', `${storeName} responds and is up to date.`)
      : ok('store', `${storeName} responds. The next start migrates it (${pending.length} migrations).`);
  if (latencyMs < slowMs) return [state];
  const fix = 'Check its load, its disk and its distance: the first request of a new account waits for it.';
  return [state, warning('store', `It took ${Math.round(latencyMs)} ms to respond.`, fix)];
}

function secretFindings(
  { pepper }: StoreReport,
  { data, database, ...target }: NamedGateway,
): readonly DoctorFinding[] {
  if (pepper === undefined) return [];
  const configured = configuredSecrets(target);
  if (configured !== undefined) return configuredFindings(configured, pepper);
  const file = join(data, 'secret.key');
  if (database !== undefined) return [];
  if (existsSync(file) && isPepperFile(file, pepper)) return [];
  const says = 'secret.key is not the secret of this store: all API keys would be rejected.';
  return [
    problem('store', says, `Restore the right ${file}, or set \`secret\` in the configuration to the old value.`),
  ];
}

function configuredFindings(configured: ConfiguredTexts, marks: string): readonly DoctorFinding[] {
  const missing = configured === 'elsewhere' ? 'none' : missingSecrets(configured.texts, marks);
  if (missing === 'none') return [];
  if (missing === 'a second') {
    const needed = 'The store needs a second secret: a rotation of the secret is not complete.';
    return [problem('store', needed, 'Add the other secret to `other_secrets`, then run: chat-gateway secret rotate')];
  }
  const says = 'The configured `secret` is not the secret of the API keys in this store: the gateway will not start.';
  return [problem('store', says, 'Set `secret` to the old value.')];
}

/** `elsewhere`: only the gateway's environment has the secret, so it cannot be checked here. */
type ConfiguredTexts = { readonly texts: readonly string[] } | 'elsewhere';

export function configuredSecrets({ secrets }: Pick<NamedGateway, 'secrets'>): ConfiguredTexts | undefined {
  try {
    const { secret, otherSecrets = [] } = secrets();
    return secret === undefined ? undefined : { texts: [secret, ...otherSecrets] };
  } catch {
    return 'elsewhere';
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
