/** What a provider answered when it was asked whether it works. */
export interface UpstreamTest {
  readonly ok: boolean;
  readonly asked: 'model_list' | 'answer' | 'nothing';
  readonly status: number | undefined;
  readonly durationMs: number;
  readonly models: readonly string[];
  /** In words for operators, without secrets. */
  readonly error: string | undefined;
}

/** A provider known by name. */
export interface PresetInfo {
  readonly name: string;
  readonly title: string;
  /** Where its API lives; with capitals where the address depends on the customer. */
  readonly address: string;
  /** Variables that may hold its credential, the usual one first; none where it wants none. */
  readonly environment: readonly string[];
  /** Fields it takes besides those of all upstreams. */
  readonly fields: readonly string[];
  /** How to write what it cannot do without. */
  readonly needs: readonly string[];
  readonly note: string | undefined;
}
