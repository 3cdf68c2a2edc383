import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fullDisk } from './full-disk.ts';
import { StoreThreadError } from '../thread/store-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-disk-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a full-disk error names the folder and the free space, also when it ended the worker thread', () => {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
  const noSpace = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  for (const error of [full, noSpace, new StoreThreadError('the thread of the store has ended', { cause: full })]) {
    expect(fullDisk(folder, error)).toMatchObject({
      message: expect.stringMatching(`^The disk of the data folder ${folder} is full: \\d+ kB are free\\.$`),
      fix: expect.stringContaining('Free space'),
      cause: error,
    });
  }
});

test('no other failure is a full-disk error while the disk has free space', () => {
  expect(fullDisk(folder, new Error('file is not a database'))).toBeUndefined();
  expect(fullDisk(join(folder, 'nowhere'), new Error('no such folder'))).toBeUndefined();
  expect(fullDisk('/proc', new Error('no such folder'))).toBeUndefined();
});
