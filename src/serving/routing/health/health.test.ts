import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  begun,
  completed,
  disabledMs,
  ejectionMaxMs,
  ejectionStepMs,
  failed,
  failuresMax,
  goodHealth,
  type Health,
  rampMs,
  refused,
  sent,
  share,
  healthStatus,
  noEvidence,
} from './health.ts';

function failing(health: Health, times: number, now: number): Health {
  return Array.from({ length: times }).reduce<Health>((each) => failed(each, now), health);
}

test('five failures in a row eject a credential for 30 s, four do not', () => {
  expect(healthStatus(failing(goodHealth, 4, 0), 0)).toBe('healthy');
  const out = failing(goodHealth, 5, 0);
  expect(healthStatus(out, 29_999)).toBe('ejected');
  expect(healthStatus(out, 30_000)).toBe('half-open');
});

test('a complete answer between failures resets the count', () => {
  const nearly = failing(goodHealth, failuresMax - 1, 0);
  expect(healthStatus(failed(completed(nearly), 0), 0)).toBe('healthy');
});

test('after an ejection one request may try the credential, and the others wait for its result', () => {
  const out = failing(goodHealth, failuresMax, 0);
  const probed = sent(out, ejectionStepMs);
  expect(healthStatus(probed, ejectionStepMs)).toBe('ejected');
  expect(healthStatus(noEvidence(probed), ejectionStepMs)).toBe('half-open');
  expect(healthStatus(begun(probed, ejectionStepMs), ejectionStepMs)).toBe('ramping');
  expect(healthStatus(failed(probed, ejectionStepMs), ejectionStepMs)).toBe('ejected');
});

test('each ejection is longer than the last, up to five minutes, and time in use shortens the next', () => {
  let health = goodHealth;
  let now = 0;
  const lengths: number[] = [];
  for (let times = 0; times < 12; times += 1) {
    health = failing(health, failuresMax, now);
    lengths.push((health.out?.until ?? 0) - now);
    now = health.out?.until ?? 0;
    health = begun(sent(health, now), now);
  }
  expect(lengths).toEqual(lengths.map((_, index) => Math.min((index + 1) * 30_000, 300_000)));
  const muchLater = now + 20 * ejectionStepMs;
  expect(failing(health, failuresMax, muchLater).out?.until).toBe(muchLater + ejectionStepMs);
});

test('a credential that comes back ramps up to its share', () => {
  const back = begun(failing(goodHealth, failuresMax, 0), 1000);
  const shares = [0, 0.25, 0.5, 0.9, 1].map((part) => share(back, 1000 + part * rampMs));
  expect(shares).toEqual([0.1, 0.25, 0.5, 0.9, 1]);
  expect(healthStatus(back, 1000 + rampMs)).toBe('healthy');
});

test('a refused credential is out until it is tried again after five minutes', () => {
  const out = refused(goodHealth, 0);
  expect(healthStatus(out, disabledMs - 1)).toBe('disabled');
  expect(healthStatus(out, disabledMs)).toBe('half-open');
  expect(healthStatus(refused(sent(out, disabledMs), disabledMs), disabledMs)).toBe('disabled');
  expect(healthStatus(begun(sent(out, disabledMs), disabledMs), disabledMs)).toBe('ramping');
});

const steps = { sent, begun, completed, noEvidence, failed, refused };
const anyStep = fc.oneof(
  fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])),
  fc.integer({ min: 0, max: 400_000 }),
);

test('after any history a credential comes back with one good answer', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 200 }), (life) => {
      let health = goodHealth;
      let now = 0;
      for (const each of life) {
        if (typeof each === 'number') now += each;
        else health = steps[each](health, now);
        expect((health.out?.until ?? now) - now).toBeLessThanOrEqual(Math.max(ejectionMaxMs, disabledMs));
        expect(health.failures).toBeLessThan(failuresMax);
        expect(share(health, now)).toBeGreaterThan(0);
      }
      const later = now + Math.max(ejectionMaxMs, disabledMs);
      expect(['healthy', 'half-open', 'ramping']).toContain(healthStatus(noEvidence(health), later));
      const back = begun(sent(noEvidence(health), later), later);
      expect(healthStatus(back, later + rampMs)).toBe('healthy');
      expect(share(back, later + rampMs)).toBe(1);
    }),
  );
});
