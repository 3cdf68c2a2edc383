import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';

const MiB = 1024 ** 2;
const reserve = 24 * MiB;
const disk = mkdtempSync(join(tmpdir(), 'small-disk-'));
/** Only root may mount a disk. */
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk]).status === 0;

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  if (isMounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

function* formOf(pieces: number): Generator<Buffer> {
  yield Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n');
  const line = Buffer.from(`${'x'.repeat(64 * 1024 - 1)}\n`);
  for (let piece = 0; piece < pieces; piece += 1) yield line;
  yield Buffer.from('\r\n--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--x--\r\n');
}

async function upload({ url, key }: TestGateway, megabytes: number) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=x' };
  const body = ReadableStream.from(formOf(megabytes * 16));
  const response = await fetch(`${url}/v1/files`, { method: 'POST', headers, body, duplex: 'half' });
  return { status: response.status, json: (await response.json()) as any };
}

test.skipIf(!isMounted)(
  'uploads stop before the disk is full, give back what they took, and others are served',
  async () => {
    gateway = await startTestGateway((base) => ({ ...base, data: disk, batches: { free_bytes_min: '24MiB' } }));
    const { db } = gateway.gateway.store;
    const free = async () => statfs(disk).then(({ bavail, bsize }) => bavail * bsize);
    for (let round = 0; round < 3; round += 1) {
      const replies = await Promise.all([upload(gateway, 150), upload(gateway, 150)]);
      for (const { status, json } of replies) {
        expect([status, json.error.code]).toEqual([503, 'overloaded']);
        expect(json.error.message).toContain('almost full');
      }
      expect(await free()).toBeGreaterThan(reserve / 4);
      expect(await db.selectFrom('files').select('id').execute()).toEqual([]);
      expect(await db.selectFrom('sealed_blobs').select('id').where('kind', '=', 'files').execute()).toEqual([]);
      expect((await gateway.chat({})).status).toBe(200);
      // The freed pages take the next file.
      const { status, json } = await upload(gateway, 10);
      expect([status, json.error]).toEqual([200, undefined]);
      await fetch(`${gateway.url}/v1/files/${json.id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${gateway.key}` },
      });
    }
    await expectAtRest(gateway.gateway);
  },
);
