/** What is configured at this moment, as far as metrics are told apart by it. */
export interface LabelSource {
  readonly catalog: { all(): readonly { readonly id: string }[]; packages(): readonly string[] };
  readonly upstreams: readonly { readonly name: string; readonly kind: string }[];
}

/** What is not configured, or no longer, has one name for all of it. */
export const otherValue = 'other';

/** The values that labels may have: those of the configuration in force, so that nobody's requests make new ones. */
export class LabelValues {
  readonly #current: () => LabelSource;
  #seen: LabelSource | undefined;
  #models: ReadonlySet<string> = new Set();
  #packages: ReadonlySet<string> = new Set();
  /** The kinds of upstreams by their names. */
  #kinds: ReadonlyMap<string, string> = new Map();

  constructor(current: () => LabelSource) {
    this.#current = current;
  }

  /** Looks whether the configuration is another one. */
  look(): 'same' | 'changed' {
    const now = this.#current();
    if (now === this.#seen) return 'same';
    this.#seen = now;
    this.#models = new Set(now.catalog.all().map(({ id }) => id));
    this.#packages = new Set(now.catalog.packages());
    this.#kinds = new Map(now.upstreams.map(({ name, kind }) => [name, kind]));
    return 'changed';
  }

  /** Nothing for a request that no model was found for. */
  model(id: string | undefined): string {
    return id === undefined ? '' : this.#models.has(id) ? id : otherValue;
  }

  package(name: string | undefined): string {
    return name !== undefined && this.#packages.has(name) ? name : otherValue;
  }

  /** All values that the label of a package may have. */
  get packages(): readonly string[] {
    return [...this.#packages, otherValue];
  }

  upstream(name: string): string {
    return this.#kinds.has(name) ? name : otherValue;
  }

  kindOf(upstream: string): string {
    return this.#kinds.get(upstream) ?? otherValue;
  }

  /** Whether a series with this value of a label is of something that was configured and is not any more. */
  readonly isGone = (label: string, value: string): boolean => {
    if (value === '' || value === otherValue) return false;
    switch (label) {
      case 'model':
      case 'gen_ai_request_model':
      case 'fallback':
        return !this.#models.has(value);
      case 'package':
        return !this.#packages.has(value);
      case 'upstream':
        return !this.#kinds.has(value);
      default:
        return false;
    }
  };
}
