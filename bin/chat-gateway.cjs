#!/usr/bin/env node
// Runs the gateway on the Node it was made for. Plain CommonJS, so that it also loads on a Node that is too old.
'use strict';

const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { dirname, join, sep } = require('node:path');
const { pathToFileURL } = require('node:url');

const oldestMajor = 24;

if (Number.parseInt(process.versions.node, 10) >= oldestMajor) {
  void import(pathToFileURL(entry()).href);
} else {
  runOn(pinnedNode());
}

/** Node does not read TypeScript inside node_modules, so an installed package brings its own JavaScript. */
function entry() {
  const root = dirname(__dirname);
  const source = join(root, 'src', 'cli', 'main.ts');
  const isInstalled = root.split(sep).includes('node_modules') || !existsSync(source);
  return isInstalled ? join(root, 'dist', 'cli', 'main.js') : source;
}

/** The runtime that comes with the project as an optional dependency. */
function pinnedNode() {
  const name = `node-${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
  } catch {
    console.error(`error chat-gateway needs Node ${oldestMajor} or newer, and this is Node ${process.versions.node}.`);
    console.error(
      `Install Node ${oldestMajor}. On Linux, npm install without --omit=optional brings it along (${name}).`,
    );
    return process.exit(1);
  }
}

/**
 * In its own process group, because a terminal sends Ctrl-C to the whole group and the gateway takes a second signal
 * as a wish to end at once. The channel is there to break: that is how the gateway notices that this process was killed.
 */
function runOn(node) {
  const child = spawn(node, [...process.execArgv, entry(), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, CHAT_GATEWAY_LAUNCHED: '1' },
    detached: true,
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
