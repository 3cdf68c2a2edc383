import { readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeDetector, watchFile } from './watch.ts';

test('a change is reported once, when the file is stable', () => {
  const settled = changeDetector();
  const looks = ['a', 'a', 'b', 'c', 'c', 'c', 'c'];
  expect(looks.map(settled)).toEqual([false, false, false, false, true, false, false]);
});

test('a file that vanishes and comes back the same has not changed', () => {
  const settled = changeDetector();
  expect(['a', undefined, 'a', 'a', 'a'].map(settled)).toEqual([false, false, false, false, false]);
});

test('a file that vanishes and comes back changed is reported once', () => {
  const settled = changeDetector();
  expect(['a', undefined, undefined, 'b', 'b', 'b'].map(settled)).toEqual([false, false, false, false, true, false]);
});

test('a file that did not exist at first counts as changed when it appears', () => {
  const settled = changeDetector();
  expect([undefined, undefined, 'a', 'a'].map(settled)).toEqual([false, false, false, true]);
});

test('the watch reports a write to the file and its replacement', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-watch-'));
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, 'one');
  // A file may be stable while it is half written, so the test polls for the final content.
  let content = '';
  const watch = watchFile(file, () => void (content = readFileSync(file, 'utf8')), 5);
  try {
    await watch.started;
    await writeFile(file, 'another length');
    await expect.poll(() => content, { message: 'the watch reports the written content' }).toBe('another length');
    await writeFile(`${file}.new`, 'replaced');
    await rename(`${file}.new`, file);
    await expect.poll(() => content, { message: 'the watch reports the replaced file' }).toBe('replaced');
  } finally {
    watch.close();
    await rm(directory, { recursive: true });
  }
});
