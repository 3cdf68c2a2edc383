import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { type Postgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for databases. */
    readonly databases: string;
  }
}

/** One PostgreSQL for the whole run, started when the first test asks for a database. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<Postgres> | undefined;

  async function answer(method: string | undefined, body: string): Promise<string> {
    postgres ??= startPostgres();
    const { createDatabase, dropDatabase } = await postgres;
    if (method === 'POST') return createDatabase();
    await dropDatabase(body);
    return '';
  }

  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(request.method, body))
      .then((said) => response.end(said))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  provide('databases', `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
  return async () => {
    server.close();
    await (await postgres)?.stop();
  };
}
