import type { itemNames } from './item-name.ts';
import type { PlannedPackage } from './plan.ts';

const allModels = ['*'];

/** One package for each set of models that accounts may use. */
export class ModelPackages {
  readonly #named: ReturnType<typeof itemNames>;
  readonly #prefix: string;
  readonly #planned = new Map<string, PlannedPackage>();

  constructor(prefix: string, named: ReturnType<typeof itemNames>) {
    this.#prefix = prefix;
    this.#named = named;
  }

  get all(): readonly PlannedPackage[] {
    return [...this.#planned.values()];
  }

  /** The name of the package for these models. `undefined`: all models. `accountName`: the first account with them. */
  of(models: readonly string[] | undefined, accountName: string): string {
    const list = models ?? allModels;
    const key = JSON.stringify(list);
    const known = this.#planned.get(key);
    if (known) return known.spec.name;
    const sourceId = `models:${key}`;
    const name = this.#named(models === undefined ? this.#prefix : `${this.#prefix}-${accountName}`, sourceId);
    this.#planned.set(key, { sourceId, spec: { name, models: [...list] } });
    return name;
  }
}
