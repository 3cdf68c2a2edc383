import { expect, test } from 'vitest';
import { loadedConfig } from '../../../test/gateways/loaded-config.ts';
import { certificateFinding } from './certificate.ts';
import { clockFindings } from './clock.ts';
import { type MachineFacts, machineFindings } from './machine.ts';

const { config } = loadedConfig('limits: { connections_max: 1000 }\nworkers: 4', '/srv');
const healthy: MachineFacts = {
  disk: { freeBytes: 50e9, freeFiles: 0.9 },
  descriptorsMax: 65_536,
  memory: { bytes: 8e9, isLimited: false },
};

function levels(facts: Partial<MachineFacts>): Record<string, string> {
  const findings = machineFindings({ ...healthy, ...facts }, config);
  for (const { level, fix } of findings) expect(fix === undefined).toBe(level === 'ok');
  return Object.fromEntries(findings.map(({ area, level }) => [area, level]));
}

test('a machine with enough disk, descriptors and memory is ok', () => {
  expect(levels({})).toEqual({ disk: 'ok', descriptors: 'ok', memory: 'ok' });
});

test('machineFindings warns before a resource runs out and reports a problem when it has', () => {
  expect(levels({ disk: { freeBytes: 5e8, freeFiles: 0.9 } })).toMatchObject({ disk: 'warning' });
  expect(levels({ disk: { freeBytes: 5e7, freeFiles: 0.9 } })).toMatchObject({ disk: 'problem' });
  expect(levels({ disk: { freeBytes: 5e9, freeFiles: 0.01 } })).toMatchObject({ disk: 'problem' });
  expect(levels({ descriptorsMax: 1024 })).toMatchObject({ descriptors: 'warning' });
  expect(levels({ descriptorsMax: 256 })).toMatchObject({ descriptors: 'problem' });
  expect(levels({ memory: { bytes: 512e6, isLimited: true } })).toMatchObject({ memory: 'warning' });
});

test('clockFindings compares the clock with the build time and with other clocks', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const findingsFor = (build: string, ...aheadMs: number[]) =>
    clockFindings(
      now,
      build,
      aheadMs.map((each) => ({ owner: 'acme', aheadMs: each })),
    ).map(({ level, says }) => [level, says]);
  expect(findingsFor('20261101-000000', 900, -900)).toEqual([['ok', 'The clock agrees with other machines.']]);
  expect(findingsFor('20261116-000000')).toEqual([['problem', expect.stringContaining('earlier than the build time')]]);
  expect(findingsFor('20261101-000000', 60_000, -90_000)).toEqual([
    ['warning', 'The clock of acme is 60 s ahead of the local clock.'],
    ['warning', 'The clock of acme is 90 s behind the local clock.'],
  ]);
});

test('certificateFinding warns before a certificate expires', () => {
  const day = 86_400_000;
  const level = (end: number) => certificateFinding('front', 'x', end, 100 * day).level;
  expect([level(99 * day), level(110 * day), level(130 * day)]).toEqual(['problem', 'warning', 'ok']);
});
