import { afterAll, beforeAll, describe } from 'vitest';
import type { Engine } from '../../src/platform/store/engine.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { dropDatabase, newDatabase } from '../stores/stores.ts';

/** Tests of the dashboard API that share one gateway. */
export type ConsoleSuite = (gateway: () => TestGateway) => void;

/** Runs a suite with the dashboard's tables in one engine. */
export function consoleOn(engine: Engine, suite: ConsoleSuite): void {
  describe(`on ${engine}`, () => {
    let gateway: TestGateway;
    let database: string | undefined;
    beforeAll(async () => {
      database = engine === 'postgres' ? await newDatabase() : undefined;
      const location = database === undefined ? {} : { database, secret: 'a secret of at least 32 characters' };
      gateway = await startTestGateway((base) => ({ ...base, ...location }));
    });
    afterAll(async () => {
      await gateway.stop();
      if (database !== undefined) await dropDatabase(database);
    });
    suite(() => gateway);
  });
}
