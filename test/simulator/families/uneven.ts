import { between } from '../../crash/random.ts';
import type { Family, Life } from '../scenario.ts';
import { calm, usualParts } from './batches.ts';
import { upstreamOf } from './catalog.ts';

const many = 40;
const linesOfOne = 6;
const lineMs = 1000;
const answer = { reportsUsageEarly: false, firstMs: 200, pieceMs: 80, pieces: 10 };
/** A look at all batches is due every second, and one of them may just have missed a line. */
const looksMs = 2000;

/** Forty batches of one account beside one batch of each other account, at several gateways. */
export const uneven: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 1, 3);
  const linesAtOnce = between(random, 1, 4);
  const others = ['ben', 'cyd'].slice(0, between(random, 1, 2));
  const batchOf = (accountId: string, atMs: number, lines: number, index: number) => ({
    id: `b${index}`,
    atMs,
    gateway: between(random, 0, gateways - 1),
    accountId,
    lines: Array.from({ length: lines }, () => ({ promptTokens: 10, maxTokens: 20 })),
  });
  const ones = others.map((accountId, index) => batchOf(accountId, between(random, 500, 3000), linesOfOne, index));
  return {
    ...usualParts(world, gateways),
    upstreams: [upstreamOf('u', 40)],
    batches: {
      linesAtOnce,
      plans: [...ones, ...Array.from({ length: many }, (_, index) => batchOf('ann', 500 + index, 1, many + index))],
    },
    disasters: [],
    durationMs: 25_000,
    mood: calm,
    conduct: () => answer,
    check: (life) => {
      const rounds = Math.ceil((others.length + 1) / (gateways * linesAtOnce));
      return ones.flatMap(({ accountId, atMs }) => waits(life, accountId, atMs, rounds * lineMs + looksMs));
    },
  };
};

/** An account with one batch waits for each of its lines only while each other account gets a seat. */
function waits({ lines }: Life, accountId: string, createdMs: number, mostMs: number): readonly string[] {
  const times = [createdMs, ...lines.filter((line) => line.accountId === accountId).map(({ atMs }) => atMs)];
  const longestMs = Math.max(...times.slice(1).map((atMs, index) => atMs - times[index]!));
  return longestMs <= mostMs ? [] : [`${accountId} waited ${Math.round(longestMs)} ms for one of its lines`];
}
