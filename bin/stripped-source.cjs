// Strips the types of each source file once and keeps the result, so that starts, processes and threads need not.
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

const sources = ['src', 'packages/formats/src', 'packages/figures', 'packages/conform'].map((name) =>
  join(__dirname, '..', name),
);
const folder = join(__dirname, '..', 'node_modules', '.cache', 'chat-gateway', process.version);

registerHooks({
  load(url, context, next) {
    if (!/^file:.*\.ts(\?|$)/.test(url)) return next(url, context);
    return { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true };
  },
});

/** Strips all files. A process that is about to start again calls this, so that the next one needs no memory for it. */
module.exports = function stripAll() {
  if (!madeFolder()) return;
  for (const source of sources) {
    const files = readdirSync(source, { recursive: true }).filter((file) => /(?<!\.test)\.ts$/.test(file));
    for (const path of files.map((file) => join(source, file))) if (!isOlder(path, keptFile(path))) stripped(path);
  }
};

/** A quick estimate. When a file is loaded, its text is compared. */
function isOlder(path, kept) {
  const change = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return change(path) < change(kept);
}

/** Each source file has one stripped file. Its last line is the digest of the source. */
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

/** The file is renamed when it is complete, so that no process reads a part of it. */
function keep(file, text) {
  if (!madeFolder()) return;
  const unfinished = `${file}.${process.pid}-${threadId}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}

/** Where no file can be written, such as in a read-only image, every start strips the types again. */
function madeFolder() {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Node warns that this function is experimental. */
function withoutWarning(work) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
