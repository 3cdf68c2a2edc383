import { cp } from 'node:fs/promises';
import { areServicesRunning, service } from './services/service.ts';

let made: Promise<string> | undefined;

/** Copies a migrated embedded store into a folder. Outside of a test run the gateway migrates one itself. */
export async function putStore(folder: string): Promise<void> {
  if (areServicesRunning) await cp(await (made ??= service('GET', 'store')), folder, { recursive: true });
}
