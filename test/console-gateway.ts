import { afterAll, beforeAll, describe } from 'vitest';
import type { Engine } from '../src/store/engine.ts';
import { type ConfigChange, startTestGateway, type TestGateway } from './gateway.ts';
import { dropDatabase, newDatabase } from './stores.ts';

/** Runs the same tests with the dashboard's tables in each engine. */
export function forEachConsole(
  suite: (gateway: () => TestGateway) => void,
  change: ConfigChange = (base) => base,
): void {
  const engines: readonly Engine[] = ['sqlite', 'postgres'];
  describe.each(engines)('on %s', (engine) => {
    let gateway: TestGateway;
    let database: string | undefined;
    beforeAll(async () => {
      database = engine === 'postgres' ? await newDatabase() : undefined;
      const place = database === undefined ? {} : { database, secret: 'a secret of at least 32 characters' };
      gateway = await startTestGateway((base, provider) => ({ ...change(base, provider), ...place }));
    });
    afterAll(async () => {
      await gateway.stop();
      if (database !== undefined) await dropDatabase(database);
    });
    suite(() => gateway);
  });
}
