import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BrowserServer } from 'playwright-core';
import type { Store } from '../../src/platform/store/store.ts';
import { servicesVariable } from '../services/service.ts';
import type { Postgres } from '../services/postgres.ts';

/**
 * Serves the resources that test files share: a built gateway, a migrated store of each engine, one PostgreSQL, one
 * Chromium. Each is created when a test first requests it. Imports are dynamic, so a run of one pure test file loads
 * none.
 */
export default async function setup(): Promise<() => Promise<void>> {
  let postgres: Promise<Postgres> | undefined;
  let migrated: Promise<string> | undefined;
  let chromium: Promise<BrowserServer> | undefined;
  let embedded: Promise<string> | undefined;
  let built: Promise<string> | undefined;

  const database = async (original?: string): Promise<string> =>
    (await (postgres ??= startDatabase())).createDatabase(original);

  const services: Readonly<Record<string, (body: string) => Promise<string>>> = {
    'GET /gateway': () => (built ??= buildGateway()),
    'GET /store': () => (embedded ??= makeEmbedded()),
    'POST /databases': async () => database(await (migrated ??= database().then(migrate))),
    'POST /databases/empty': () => database(),
    'DELETE /databases': async (address) => {
      await (await postgres)?.dropDatabase(address);
      return '';
    },
    'GET /chromium': async () => (await (chromium ??= serveChromium())).wsEndpoint(),
  };

  async function answer(request: string, body: string): Promise<string> {
    const service = services[request];
    if (!service) throw new Error(`There is no service ${request}.`);
    return service(body);
  }

  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(`${request.method} ${request.url}`, body))
      .then((reply) => response.end(reply))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  // Test processes inherit this variable.
  process.env[servicesVariable] = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  return async () => {
    server.close();
    await Promise.all([
      postgres?.then((running) => running.stop()),
      chromium?.then((running) => running.close()),
      embedded?.then((folder) => rm(folder, { recursive: true })),
    ]);
  };
}

async function startDatabase(): Promise<Postgres> {
  return (await import('../services/postgres.ts')).startPostgres();
}

async function serveChromium(): Promise<BrowserServer> {
  return (await import('../browser/chromium.ts')).serveChromium();
}

async function buildGateway(): Promise<string> {
  return (await import('../services/built-gateway.ts')).builtGateway();
}

/** Migrations are slow, so tests start from copies of a store that was migrated once. */
async function migrate(database: string): Promise<string> {
  await (await openStore({ database })).close();
  return database;
}

async function makeEmbedded(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'gateway-made-'));
  await (await openStore({ data })).close();
  return data;
}

async function openStore(location: { readonly database: string } | { readonly data: string }): Promise<Store> {
  return (await import('../../src/platform/store/store.ts')).openStore(location);
}
