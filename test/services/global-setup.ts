import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BrowserServer } from '@playwright/test';
import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/store/store.ts';
import { serveChromium } from '../browser/chromium.ts';
import { builtLauncherVariable } from '../launcher.ts';
import { madeStoreVariable } from '../made-store.ts';
import { buildGateway } from './built-gateway.ts';
import { type Postgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for what they share. */
    readonly services: string;
  }
}

/** A store takes its time to be made; tests start from copies of one that was made once. */
async function migrate(database: string): Promise<string> {
  await (await openStore({ database })).close();
  return database;
}

async function makeEmbedded(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'gateway-made-'));
  await (await openStore({ data })).close();
  return data;
}

/** One PostgreSQL and one Chromium for the whole run, each started when the first test asks for it. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<Postgres> | undefined;
  let migrated: Promise<string> | undefined;
  let chromium: Promise<BrowserServer> | undefined;

  const embedded = await makeEmbedded();
  process.env[madeStoreVariable] = embedded;
  const built = await buildGateway();
  process.env[builtLauncherVariable] = join(built, 'bin/chat-gateway.cjs');
  const database = async (original?: string): Promise<string> =>
    (await (postgres ??= startPostgres())).createDatabase(original);

  const services: Readonly<Record<string, (body: string) => Promise<string>>> = {
    'POST /databases': async () => database(await (migrated ??= database().then(migrate))),
    'POST /databases/empty': () => database(),
    'DELETE /databases': async (address) => {
      await (await postgres)?.dropDatabase(address);
      return '';
    },
    'GET /chromium': async () => (await (chromium ??= serveChromium())).wsEndpoint(),
  };

  async function answer(asked: string, body: string): Promise<string> {
    const service = services[asked];
    if (!service) throw new Error(`There is no service ${asked}.`);
    return service(body);
  }

  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(`${request.method} ${request.url}`, body))
      .then((said) => response.end(said))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  provide('services', `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
  return async () => {
    server.close();
    await Promise.all([postgres?.then((running) => running.stop()), chromium?.then((running) => running.close())]);
    for (const folder of [embedded, built]) await rm(folder, { recursive: true });
  };
}
