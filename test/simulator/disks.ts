import type { Journal } from '../../src/billing/journal.ts';
import type { Settlement } from '../../src/billing/charging.ts';
import type { Machine } from './machine.ts';

/** The disks of a world's machines: what a process wrote there outlives it. */
export class Disks {
  /** Whether all processes are on one machine, whose disk has the store too. */
  readonly areOne: boolean;
  readonly #charges = new Map<string, Set<Settlement>>();

  constructor(areOne: boolean) {
    this.areOne = areOne;
  }

  /** What earlier processes on this machine wrote down and the store may not have. */
  left(machine: Machine): readonly Settlement[] {
    return [...this.#disk(machine)];
  }

  journal(machine: Machine): Journal {
    const disk = this.#disk(machine);
    return {
      note: (settlements) => {
        for (const settlement of settlements) disk.add(settlement);
      },
      sync: () => machine.wait(1),
      append: async (settlements) => {
        await machine.wait(1);
        for (const settlement of settlements) disk.add(settlement);
      },
      taken: async (settlements) => {
        for (const settlement of settlements) disk.delete(settlement);
      },
      close: () => Promise.resolve(),
      bytes: 0,
    };
  }

  #disk({ name }: Machine): Set<Settlement> {
    const [disk = ''] = this.areOne ? ['the only one'] : name.split('.');
    const known = this.#charges.get(disk) ?? new Set<Settlement>();
    this.#charges.set(disk, known);
    return known;
  }
}
