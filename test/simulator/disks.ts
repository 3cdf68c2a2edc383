import type { Journal } from '../../src/money/billing/recovery/journal.ts';
import type { Settlement } from '../../src/money/billing/ledger/charging.ts';
import type { Machine } from './machine.ts';

/** The disks of a world's machines. Data on a disk outlives the process that wrote it. */
export class Disks {
  /** True if all processes run on one machine, with the store on its disk. */
  readonly areOne: boolean;
  readonly #charges = new Map<string, Set<Settlement>>();
  /** Requests whose charges survive a power failure. */
  readonly #synced = new Set<string>();
  readonly #syncMs: () => number;

  constructor(areOne: boolean, syncMs: () => number) {
    this.areOne = areOne;
    this.#syncMs = syncMs;
  }

  /** True if the charge of a request was ever synced to a disk. */
  isSynced(requestId: string): boolean {
    return this.#synced.has(requestId);
  }

  /** Charges that processes of this machine wrote to the disk and that the store may not have. */
  unsettled(machine: Machine): readonly Settlement[] {
    return [...this.#disk(machine)];
  }

  journal(machine: Machine): Journal {
    const disk = this.#disk(machine);
    const note = (settlements: readonly Settlement[]): void => {
      for (const settlement of settlements) disk.add(settlement);
    };
    const sync = async (): Promise<void> => {
      const noted = [...disk];
      await machine.wait(this.#syncMs());
      for (const { requestId } of noted) this.#synced.add(requestId);
    };
    return {
      note,
      sync,
      append: async (settlements) => {
        if (settlements.length === 0) return;
        note(settlements);
        await sync();
      },
      taken: (settlements) => {
        for (const settlement of settlements) disk.delete(settlement);
      },
      tidy: () => Promise.resolve(),
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
