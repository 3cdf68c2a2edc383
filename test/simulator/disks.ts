import type { Journal } from '../../src/billing/journal.ts';
import type { Settlement } from '../../src/billing/charging.ts';
import type { Machine } from './machine.ts';

/** The disks of a world's machines: what a process wrote there outlives it. */
export class Disks {
  readonly #charges = new Map<string, Set<Settlement>>();

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
    const [disk = ''] = name.split('.');
    const known = this.#charges.get(disk) ?? new Set<Settlement>();
    this.#charges.set(disk, known);
    return known;
  }
}
