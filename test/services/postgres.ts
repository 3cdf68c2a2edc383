import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** A real PostgreSQL for tests, in a temporary folder. */
export interface Postgres {
  readonly port: number;
  /** The process that runs the server. The server's processes are its children. */
  readonly pid: number;
  /** Creates a database and returns its URL. It is empty, or a copy of `original`, which must have no connections. */
  createDatabase(original?: string): Promise<string>;
  dropDatabase(address: string): Promise<void>;
  /** Stops or resumes all processes of the server. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Closes all connections and restarts on the same port. */
  restart(): Promise<void>;
  /** Kills all processes of the server like a power cut, and starts it again on the same port. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the server, with settings such as `fsync=on`. It ends with this process, even if this process is killed. */
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
  let databases = 0;
  let connection: Promise<pg.Client> | undefined;
  /** The previous statement. A connection runs one at a time. */
  let previous: Promise<unknown> = Promise.resolve();

  async function sendCommand(name: string): Promise<void> {
    const done = nextLine();
    child.stdin.write(`${name}\n`);
    await done;
  }

  /** One connection for all statements, because each new one reads the catalog. Reopened when the server closed it. */
  function connect(): Promise<pg.Client> {
    const client = new pg.Client(address('postgres'));
    const forget = () => (connection = undefined);
    client.on('error', forget).on('end', forget);
    return client.connect().then(() => client);
  }

  function run(statement: string): Promise<void> {
    const result = previous.then(async () => void (await (await (connection ??= connect())).query(statement)));
    previous = result.catch(() => undefined);
    return result;
  }

  return {
    port,
    pid: child.pid ?? 0,
    async createDatabase(original) {
      databases += 1;
      const name = `test_${databases}`;
      // Copying the files is faster than writing them again.
      await run(`create database ${name}${original ? ` template ${nameIn(original)} strategy file_copy` : ''}`);
      return address(name);
    },
    dropDatabase: (at) => run(`drop database ${nameIn(at)} with (force)`),
    signal: sendCommand,
    restart: () => sendCommand('restart'),
    crash: () => sendCommand('crash'),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

function nameIn(address: string): string {
  return new URL(address).pathname.slice(1);
}
