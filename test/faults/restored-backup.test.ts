import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { startGateway } from '../../src/app/main.ts';
import { stringify } from 'yaml';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { loadedConfig } from '../gateways/loaded-config.ts';

let gateway: TestGateway;
afterEach(async () => {
  vi.restoreAllMocks();
  await gateway.stop();
});

test('`ledger verify` detects a ledger restored from an older backup, until the operator removes the gap file', async () => {
  let file: Record<string, unknown> = {};
  gateway = await startTestGateway((base) => (file = base));
  gateway.provider.respond('other', answer('hello'));
  const data = join(gateway.directory, 'data');
  const restart = async () => startGateway(loadedConfig(stringify(file), gateway.directory), { env: {} });

  expect(await chat(gateway).over).toMatchObject({ isDone: true });
  await gateway.gateway.stop();
  await copyFile(join(data, 'gateway.db'), join(data, 'backup'));
  expect(await verify(data)).toMatchObject({ status: 0, isSound: true, gaps: [] });

  let next = await restart();
  const lost = await chat({ ...gateway, port: next.address.port }).over;
  expect(lost).toMatchObject({ isDone: true });
  await next.stop();
  expect(await verify(data)).toMatchObject({ status: 0, isSound: true, gaps: [] });

  for (const name of await readdir(data)) if (name.startsWith('gateway.db')) await rm(join(data, name));
  await copyFile(join(data, 'backup'), join(data, 'gateway.db'));
  const gap = { request_id: lost.id, from: expect.any(String), until: expect.any(String) };
  expect(await verify(data)).toMatchObject({ status: 1, isSound: true, gaps: [gap] });

  next = await restart();
  expect(await chat({ ...gateway, port: next.address.port }).over).toMatchObject({ isDone: true });
  await expectAtRest(next);
  await next.stop();
  const { gaps, status } = await verify(data);
  expect([status, gaps]).toEqual([1, [expect.objectContaining(gap)]]);
  await rm(gaps[0]?.file ?? '');
  expect(await verify(data)).toMatchObject({ status: 0, gaps: [] });
});

/** The output and exit status of `ledger verify`. */
async function verify(data: string): Promise<{ status: number; isSound: boolean; gaps: { file: string }[] }> {
  let printed = '';
  vi.spyOn(console, 'log').mockImplementation((text: string) => void (printed += text));
  await run(['node', 'chat-gateway', 'ledger', 'verify', '--data', data, '--json']);
  const status = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { ...JSON.parse(printed), status };
}
