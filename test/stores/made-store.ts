import { cp } from 'node:fs/promises';
import { areServicesRunning, service } from '../services/service.ts';

let template: Promise<string> | undefined;

/** Copies a migrated embedded store into a folder. Outside of a test run, the gateway migrates a new one itself. */
export async function putStore(folder: string): Promise<void> {
  if (areServicesRunning) await cp(await (template ??= service('GET', 'store')), folder, { recursive: true });
}
