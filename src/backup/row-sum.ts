import { createHash } from 'node:crypto';

/** A value as compared between the engines: text or null. */
export type CellText = string | null;

/** A checksum over rows in any order, because the two engines may sort text differently. */
export interface RowSum {
  add(row: readonly CellText[]): void;
  readonly rows: number;
  readonly hex: string;
}

const bits = 128n;
const limit = 1n << bits;

export function rowSum(): RowSum {
  let rows = 0;
  let sum = 0n;
  return {
    add(row) {
      const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 32);
      sum = (sum + BigInt(`0x${digest}`)) % limit;
      rows += 1;
    },
    get rows() {
      return rows;
    },
    get hex() {
      return sum.toString(16).padStart(32, '0');
    },
  };
}
