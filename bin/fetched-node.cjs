// Lets npm fetch a Node once, if the installed one is too old. CommonJS, because the old Node runs this file.
'use strict';

const { spawnSync } = require('node:child_process');
const { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } = require('node:fs');
const { homedir } = require('node:os');
const { dirname, join } = require('node:path');
const checkNode = require('./checked-node.cjs');

/** The path of a suitable Node. Undefined if there is none for this machine, or if npm cannot fetch it. */
module.exports = function fetchedNode(name) {
  const wanted = join(__dirname, '..', 'dist', 'runtime');
  if (!existsSync(wanted)) return undefined;
  const version = JSON.parse(readFileSync(join(wanted, 'package.json'), 'utf8')).optionalDependencies[name];
  if (version === undefined) return undefined;
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const node = join(cache, 'chat-gateway', `${name}-${version}`, 'node');
  return existsSync(node) || fetch({ name, version }, wanted, node) ? node : undefined;
};

/**
 * npm compares the package with the checksum of the shipped lock file, and this process the program with its own. The
 * program is renamed when it is complete, so that no other process starts a part of it.
 */
function fetch({ name, version }, wanted, node) {
  console.error(`This is Node ${process.versions.node}, which is too old. npm fetches a newer one, this once: ${node}`);
  let folder;
  try {
    mkdirSync(dirname(node), { recursive: true });
    folder = mkdtempSync(join(dirname(node), 'fetching-'));
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(wanted, file), join(folder, file));
    const options = ['--include=optional', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
    // Without a registry, each retry takes longer than the one before.
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--fetch-retries=1'];
    const { status, error } = spawnSync('npm', ['ci', ...options, ...quiet], { cwd: folder, stdio: ['ignore', 2, 2] });
    if (error) throw error;
    if (status !== 0) return false;
    const fetched = join(folder, 'node_modules', name, 'bin', 'node');
    // npm succeeds without an optional package that it cannot fetch, and prints no cause.
    if (!existsSync(fetched)) {
      console.error(`npm could not fetch ${name}@${version}. This command shows why: npm pack ${name}@${version}`);
      return false;
    }
    checkNode(`${name}@${version}`, fetched);
    renameSync(fetched, node);
    return true;
  } catch (error) {
    console.error(String(error));
    return false;
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}
