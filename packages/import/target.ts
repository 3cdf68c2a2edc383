/** What a plan depends on in the gateway that it is for. The caller passes it in. */
export interface TargetGateway {
  /** The kinds of upstreams that it knows. */
  readonly kinds: readonly TargetKind[];
  /** Kinds whose providers take the body of a pass-through endpoint unchanged. */
  readonly passThroughKinds: ReadonlySet<string>;
  readonly prices: TargetPrices;
  isAddressOrRange(text: string): boolean;
  isPublicAddress(address: string): boolean;
  isTimeZone(name: string): boolean;
  /** When the period of a limit began, in UTC. */
  periodStart(period: 'day' | 'week' | 'month', at: number): number;
}

interface TargetKind {
  readonly name: string;
  /** Environment variables that usually hold its credential. */
  readonly environment?: readonly string[];
  /** Groups of fields, of which one must be complete. */
  readonly own?: { readonly needs: readonly { readonly oneOf: readonly (readonly string[])[] }[] };
}

/** An entry of a price list. Only the gateway reads it. */
export type PriceEntry = object;

/** How the gateway reads price lists, and the prices that it knows itself. */
interface TargetPrices {
  /** `undefined`: the text is no price list. */
  readList(text: string): readonly PriceEntry[] | undefined;
  /** An entry with the fields that LiteLLM has. Numbers are of the class `NumberText`. */
  entryOf(name: string, fields: Readonly<Record<string, unknown>>): PriceEntry;
  finder(list: readonly PriceEntry[]): (wanted: WantedPrice) => PriceEntry | undefined;
  /** `undefined`: the entry has fields that are no prices. `rounded`: fields with more digits than the gateway stores. */
  settingsOf(entry: PriceEntry): { readonly settings: PriceSettings; readonly rounded: readonly string[] } | undefined;
  /** The price in the table of the gateway, and its day. */
  known(name: string): { readonly settings: PriceSettings; readonly day: string } | undefined;
}

/** A model at a provider, as a route names it. */
export interface WantedPrice {
  readonly name: string;
  /** Names that a list may have for the provider. */
  readonly providers: readonly string[];
}

/** The settings of a model that a price list has. */
export interface PriceSettings {
  readonly price: PlannedPrice;
  readonly context_window?: number;
  readonly max_output_tokens?: number;
}

/** A price per million tokens, in the format of the configuration file. */
export interface PlannedPrice {
  readonly input: string;
  readonly output: string;
  readonly units?: Readonly<Record<string, string>>;
  /** Prices of other kinds of tokens, and tiers. */
  readonly [field: string]: unknown;
}
