#!/usr/bin/env node
// Runs the gateway on the Node it was made for. Plain CommonJS, so that it also loads on a Node that is too old.
'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { dirname, join, sep } = require('node:path');
const { pathToFileURL } = require('node:url');
const fetchedNode = require('./fetched-node.cjs');

const oldestMajor = 24;

/**
 * What V8 is told before it starts, as it cannot be told later; docs/performance.md says more. The young generation left
 * alone grows to 128 MB under load; in one that is too small all that runs is copied too often. The old one is collected
 * when it has grown by half and not when it has grown fourfold. What a compiler needed is given back at once and not by
 * V8's own threads, which under load come to it late. With its memory collected once when it has started, the server begins
 * small.
 */
const heapFlags = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=50',
  '--no-maglev-destroy-on-background',
  '--expose-gc',
];

// `npx chat-gateway` is how a new user starts a gateway.
if (process.argv.length === 2) process.argv.push('serve');

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

/** The same process begins anew with our flags. Only a server is worth it; a channel to a parent would not survive it. */
function mayStartAgain() {
  const isServer = process.argv.slice(2).includes('serve');
  const isTold = nodeFlags().length === process.execArgv.length;
  return isServer && !isTold && process.platform !== 'win32' && process.channel === undefined;
}

/** An operator who says otherwise, on the command line or in NODE_OPTIONS, is right. */
function nodeFlags() {
  const said = [...process.execArgv, ...(process.env.NODE_OPTIONS || '').split(' ')];
  const isSaid = (flag) => said.some((other) => other.split('=')[0] === flag.split('=')[0]);
  return [...[...heapFlags, threads()].filter((flag) => !isSaid(flag)), ...process.execArgv];
}

/** V8's own threads get every core but one: with fewer cores than threads, who streams an answer would wait for all of them. */
function threads() {
  return `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`;
}

/** Left alone the system's allocator has a place of its own for each thread, and gives back what was freed in none of them. */
function environment() {
  return { MALLOC_ARENA_MAX: '2', ...process.env };
}

/** Node does not read TypeScript inside node_modules, so an installed package brings its own JavaScript. */
function entry() {
  const root = dirname(__dirname);
  const source = join(root, 'src', 'cli', 'main.ts');
  const isInstalled = root.split(sep).includes('node_modules') || !existsSync(source);
  return isInstalled ? join(root, 'dist', 'cli', 'main.js') : source;
}

/**
 * Stripping types takes 20 MB for as long as we run, and as much again in every thread, which learns of the way around it
 * by the environment. Node's own cache would keep the stripped source too, but all of it in memory, with the compiled code.
 */
function keepStripped() {
  if (!isSource()) return;
  strippedSource();
  const flag = `--require=${JSON.stringify(join(__dirname, 'stripped-source.cjs'))}`;
  const options = process.env.NODE_OPTIONS || '';
  if (!options.includes(flag)) process.env.NODE_OPTIONS = `${options} ${flag}`.trim();
}

/** An operator who wants Node's own cache gets that. */
function isSource() {
  return entry().endsWith('.ts') && !process.env.NODE_COMPILE_CACHE;
}

function strippedSource() {
  return require('./stripped-source.cjs');
}

/** The runtime that was installed beside us, as it is with the source; otherwise one that npm fetches. */
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
 * In its own process group, because a terminal sends Ctrl-C to the whole group and the gateway takes a second signal
 * as a wish to end at once. The channel is there to break: that is how the gateway notices that this process was killed.
 */
function runOn(node) {
  const child = spawn(node, [...nodeFlags(), __filename, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...environment(), CHAT_GATEWAY_LAUNCHED: '1' },
    // An agent reads from the terminal, which only its own process group may.
    detached: process.argv[2] !== 'launch',
  });
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
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
