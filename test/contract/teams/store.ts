import { newDatabase } from '../../stores/stores.ts';

/** The setting that names the store: the deep suite runs the tests of teams on PostgreSQL too. */
export async function teamStore(): Promise<{ readonly database: string; readonly secret: string } | object> {
  if (process.env['TEST_ENGINES'] !== 'postgres') return {};
  return { database: await newDatabase(), secret: 'a secret of the tests of teams on PostgreSQL' };
}
