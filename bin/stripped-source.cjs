// Reads source whose types were stripped once instead of stripping them at every start, in every process and every thread.
'use strict';

const { createHash } = require('node:crypto');
const {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { registerHooks, stripTypeScriptTypes } = require('node:module');
const { join } = require('node:path');
const { fileURLToPath } = require('node:url');
const { threadId } = require('node:worker_threads');

const source = join(__dirname, '..', 'src');
const folder = join(__dirname, '..', 'node_modules', '.cache', 'chat-gateway', process.version);

registerHooks({
  load(url, context, next) {
    if (!/^file:.*\.ts(\?|$)/.test(url)) return next(url, context);
    return { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true };
  },
});

/** For a process that is about to begin anew: what it strips now, the next one need not, whose memory lasts. */
module.exports = function stripAll() {
  if (!madeFolder()) return;
  const files = readdirSync(source, { recursive: true }).filter((file) => /(?<!\.test)\.ts$/.test(file));
  for (const path of files.map((file) => join(source, file))) if (!isOlder(path, keptFile(path))) stripped(path);
};

/** A guess, and cheap: who runs the source compares the texts themselves. */
function isOlder(path, kept) {
  const change = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return change(path) < change(kept);
}

/** One file for each file of the source; its last line tells of which text it was made. */
function stripped(path) {
  const text = readFileSync(path, 'utf8');
  const kept = keptFile(path);
  const mark = `\n//${digest(text)}`;
  const known = readKept(kept);
  if (known?.endsWith(mark)) return known;
  const made = `${withoutWarning(() => stripTypeScriptTypes(text))}${mark}`;
  keep(kept, made);
  return made;
}

function keptFile(path) {
  return join(folder, `${digest(path)}.js`);
}

function digest(text) {
  return createHash('sha256').update(text).digest('base64url');
}

function readKept(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Renamed when it is whole, so that nobody reads half of it. */
function keep(file, text) {
  if (!madeFolder()) return;
  const unfinished = `${file}.${process.pid}-${threadId}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}

/** Where nothing can be kept, in a read-only image for example, every start strips for itself. */
function madeFolder() {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Node strips types in silence, but says that to ask it to is an experiment. */
function withoutWarning(work) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
