import { cp } from 'node:fs/promises';

/** Names the folder of an embedded store as a new gateway has it, for the processes of one run. */
export const madeStoreVariable = 'TEST_MADE_STORE';

/** Puts such a store there, so that a gateway need not make one at its first start. Outside of a run it does. */
export async function putStore(folder: string): Promise<void> {
  const made = process.env[madeStoreVariable];
  if (made !== undefined) await cp(made, folder, { recursive: true });
}
