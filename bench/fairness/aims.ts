import type { FairnessFigures } from './figures.ts';

/** The target of a figure, and its format. */
export interface Aim {
  readonly title: string;
  readonly aim: string;
  readonly isMet: (value: number) => boolean;
  readonly write: (value: number) => string;
}

const plain = (value: number): string => value.toFixed(3);
const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

export const aims: Readonly<Record<keyof FairnessFigures, Aim>> = {
  jain: { title: 'Jain’s index', aim: '≥ 0.99', isMet: (value) => value >= 0.99, write: plain },
  shareError: { title: 'weighted share error', aim: '≤ 3 %', isMet: (value) => value <= 0.03, write: percent },
  lightWaitP99: {
    title: 'light account’s wait next to 500 streams, p99, in mean service times',
    aim: '≤ 1',
    isMet: (value) => value <= 1,
    write: plain,
  },
  waitRatio: {
    title: 'p99 of the wait, worst account to median account',
    aim: '≤ 1.5',
    isMet: (value) => value <= 1.5,
    write: plain,
  },
  starved: { title: 'starved requests', aim: '0', isMet: (value) => value === 0, write: String },
  workConservation: {
    title: 'slots busy while a request waits',
    aim: '≥ 98 %',
    isMet: (value) => value >= 0.98,
    write: percent,
  },
};
