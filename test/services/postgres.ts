import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** A real PostgreSQL of our own, in a folder that goes away with it. */
export interface Postgres {
  readonly port: number;
  /** The process that runs it: its own are below. */
  readonly pid: number;
  /** Makes a database, empty or a copy of the one at an address that nobody uses any more, and returns its address. */
  createDatabase(original?: string): Promise<string>;
  dropDatabase(address: string): Promise<void>;
  /** Stops every process of it where it stands, or lets them go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Cuts everybody off and comes back at the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it, with settings such as `fsync=on` where a test needs them. It ends with this process, however that ends. */
export async function startPostgres(settings: readonly string[] = []): Promise<Postgres> {
  const program = fileURLToPath(new URL('./postgres-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, ...settings], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const nextLine = async (): Promise<string> => String((await once(lines, 'line'))[0]);
  const port = Number(await Promise.race([nextLine(), ended.then(() => undefined)]));
  if (!port) throw new Error('PostgreSQL for the tests could not be started; see above.');
  const address = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  let made = 0;
  let connection: Promise<pg.Client> | undefined;
  /** Of the order before: a connection takes one at a time. */
  let turn: Promise<unknown> = Promise.resolve();

  async function order(name: string): Promise<void> {
    const done = nextLine();
    child.stdin.write(`${name}\n`);
    await done;
  }

  /** One connection for all orders, made anew when the server cut it off: each would otherwise read the catalog again. */
  function connected(): Promise<pg.Client> {
    const client = new pg.Client(address('postgres'));
    const forget = () => (connection = undefined);
    client.on('error', forget).on('end', forget);
    return client.connect().then(() => client);
  }

  function run(statement: string): Promise<void> {
    const ran = turn.then(async () => void (await (await (connection ??= connected())).query(statement)));
    turn = ran.catch(() => undefined);
    return ran;
  }

  return {
    port,
    pid: child.pid ?? 0,
    async createDatabase(original) {
      made += 1;
      const name = `test_${made}`;
      // The files are copied as they are, which is quicker than to write them anew.
      await run(`create database ${name}${original ? ` template ${nameIn(original)} strategy file_copy` : ''}`);
      return address(name);
    },
    dropDatabase: (at) => run(`drop database ${nameIn(at)} with (force)`),
    signal: order,
    restart: () => order('restart'),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

function nameIn(address: string): string {
  return new URL(address).pathname.slice(1);
}
