/** The parts of the current configuration that become label values. */
export interface LabelSource {
  readonly catalog: { all(): readonly { readonly id: string }[]; packages(): readonly string[] };
  readonly upstreams: readonly { readonly name: string; readonly kind: string }[];
}

/** The label value for everything that is not configured, or no longer. */
export const otherValue = 'other';

/** The values that labels may have. They come from the current configuration, so requests cannot create new series. */
export class LabelValues {
  readonly #readSource: () => LabelSource;
  #source: LabelSource | undefined;
  #models: ReadonlySet<string> = new Set();
  #packages: ReadonlySet<string> = new Set();
  /** The kind of each upstream, by name. */
  #kinds: ReadonlyMap<string, string> = new Map();

  constructor(readSource: () => LabelSource) {
    this.#readSource = readSource;
  }

  /** Re-reads the configuration if it changed since the last call. */
  refresh(): 'unchanged' | 'changed' {
    const latest = this.#readSource();
    if (latest === this.#source) return 'unchanged';
    this.#source = latest;
    this.#models = new Set(latest.catalog.all().map(({ id }) => id));
    this.#packages = new Set(latest.catalog.packages());
    this.#kinds = new Map(latest.upstreams.map(({ name, kind }) => [name, kind]));
    return 'changed';
  }

  /** Returns an empty string for a request without a model. */
  model(id: string | undefined): string {
    return id === undefined ? '' : this.#models.has(id) ? id : otherValue;
  }

  package(name: string | undefined): string {
    return name !== undefined && this.#packages.has(name) ? name : otherValue;
  }

  /** All values that the label `package` may have. */
  get packages(): readonly string[] {
    return [...this.#packages, otherValue];
  }

  upstream(name: string): string {
    return this.#kinds.has(name) ? name : otherValue;
  }

  kindOf(upstream: string): string {
    return this.#kinds.get(upstream) ?? otherValue;
  }

  /** Whether this label value names something that is no longer configured. */
  readonly isStale = (label: string, value: string): boolean => {
    if (value === '' || value === otherValue) return false;
    const [models, packages, kinds] = [this.#models, this.#packages, this.#kinds];
    const labels = {
      model: models,
      gen_ai_request_model: models,
      fallback: models,
      package: packages,
      upstream: kinds,
    };
    return Object.hasOwn(labels, label) && !labels[label as keyof typeof labels].has(value);
  };
}
