#!/usr/bin/env node
// Runs the gateway on the version of Node that it needs. CommonJS, so that a Node that is too old can load this file.
'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { dirname, join, sep } = require('node:path');
const { pathToFileURL } = require('node:url');
const fetchedNode = require('./fetched-node.cjs');

const oldestMajor = 24;

/**
 * Settings of V8, which reads them only when it starts (docs/performance.md, "Memory"). By default the young generation
 * grows to 128 MB under load; if it is too small, V8 copies live objects too often. V8 collects the old generation when it
 * has grown by half, instead of fourfold. It frees the memory of the Maglev compiler at once; its background threads would
 * do so late under load. `--expose-gc` lets the server collect its memory once after it has started.
 */
const heapFlags = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=50',
  '--no-maglev-destroy-on-background',
  '--expose-gc',
];

// A new user starts a gateway with `npx chat-gateway`.
if (process.argv.length === 2) process.argv.push('serve');

// By default the signal ends a process. A server that starts, and one without workers, has nothing to replace.
if (command() === 'serve') process.on('SIGUSR2', () => {});

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  runOn(pinnedNode());
} else if (mayStartAgain()) {
  if (isSource()) strippedSource()();
  process.execve(
    process.execPath,
    [process.execPath, ...nodeFlags(), __filename, ...process.argv.slice(2)],
    environment(),
  );
} else {
  keepStripped();
  void import(pathToFileURL(entry()).href);
}

/** Whether the process starts again with the flags. Only a server needs them. The IPC channel to a parent would be lost. */
function mayStartAgain() {
  const hasFlags = nodeFlags().length === process.execArgv.length;
  return command() === 'serve' && !hasFlags && process.platform !== 'win32' && process.channel === undefined;
}

/** The first of the commands that need something of this launcher. Others may follow among the arguments of an agent. */
function command() {
  return process.argv.slice(2).find((word) => word === 'serve' || word === 'launch');
}

/** A flag that the operator set, on the command line or in NODE_OPTIONS, is kept. */
function nodeFlags() {
  const given = [...process.execArgv, ...(process.env.NODE_OPTIONS || '').split(' ')];
  const isGiven = (flag) => given.some((other) => other.split('=')[0] === flag.split('=')[0]);
  return [...[...heapFlags, threads()].filter((flag) => !isGiven(flag)), ...process.execArgv];
}

/** V8 has a background thread for each core but one. With more of them, the thread that streams answers would wait for a core. */
function threads() {
  return `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`;
}

/**
 * By default the system's allocator has an arena for each thread, and returns little of their freed memory. `launch` keeps
 * its environment, because the agent inherits it.
 */
function environment() {
  return command() === 'launch' ? process.env : { MALLOC_ARENA_MAX: '2', ...process.env };
}

/** Node does not load TypeScript from node_modules. So an installed package has JavaScript. */
function entry() {
  const root = dirname(__dirname);
  const source = join(root, 'src', 'cli', 'main.ts');
  const isInstalled = root.split(sep).includes('node_modules') || !existsSync(source);
  return isInstalled ? join(root, 'dist', 'cli', 'main.js') : source;
}

/**
 * To strip types takes 20 MB in each thread until the process ends. So threads read stripped files as well: NODE_OPTIONS
 * passes this setting to them, except in `launch`: an agent would inherit it, and a Node of the agent may not know it.
 * Node's own cache would keep the stripped source too, but in memory, with the compiled code.
 */
function keepStripped() {
  if (!isSource()) return;
  strippedSource();
  if (command() === 'launch') return;
  const flag = `--require=${JSON.stringify(join(__dirname, 'stripped-source.cjs'))}`;
  const options = process.env.NODE_OPTIONS || '';
  if (!options.includes(flag)) process.env.NODE_OPTIONS = `${options} ${flag}`.trim();
}

/** An operator can choose Node's own cache instead. */
function isSource() {
  return entry().endsWith('.ts') && !process.env.NODE_COMPILE_CACHE;
}

function strippedSource() {
  return require('./stripped-source.cjs');
}

/** The Node that is installed in node_modules, as with the source, or else one that npm fetches. */
function pinnedNode() {
  const name = `node-${process.platform}-${process.arch}`;
  const node = installedNode(name) || fetchedNode(name);
  if (node) return node;
  console.error(`error chat-gateway needs Node ${oldestMajor} or newer, and this is Node ${process.versions.node}.`);
  console.error(`Install Node ${oldestMajor}, or on Linux the packaged Node: npm install ${name}@${oldestMajor}`);
  console.error(
    `Without a registry, install ${name}-VERSION.tgz of the release or of \`npm pack ${name}@${oldestMajor}\`.`,
  );
  return process.exit(1);
}

function installedNode(name) {
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
  } catch {
    return undefined;
  }
}

/**
 * Starts the gateway in a process group of its own: a terminal sends Ctrl-C to the whole group, and the gateway would end
 * at once at a second signal. The gateway ends when the IPC channel closes, which happens when this process is killed.
 */
function runOn(node) {
  const child = spawn(node, [...nodeFlags(), __filename, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...environment(), CHAT_GATEWAY_LAUNCHED: '1' },
    // An agent reads from the terminal, which only its own process group may.
    detached: command() !== 'launch',
  });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    console.error(`error ${node} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    for (const name of signals) process.off(name, forward);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}
