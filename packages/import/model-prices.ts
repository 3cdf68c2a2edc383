import type { FindingList, FindingSubject } from './findings.ts';
import type { SourceDocument } from './importer.ts';
import type { PriceEntry, PriceSettings, TargetGateway, WantedPrice } from './target.ts';

/** The entries of the price lists among the documents, and the other documents. */
export function pricesIn(documents: readonly SourceDocument[], { prices }: TargetGateway) {
  const lists = new Map(documents.map((each) => [each, prices.readList(each.text)]));
  return {
    prices: [...lists.values()].flatMap((list) => list ?? []),
    files: documents.filter((each) => lists.get(each) === undefined),
  };
}

/** Prices of models in a list, then in the table of the gateway. */
export class ModelPrices {
  readonly #prices: TargetGateway['prices'];
  readonly #find: (wanted: WantedPrice) => PriceEntry | undefined;
  readonly #findings: FindingList;

  constructor(list: readonly PriceEntry[], { prices }: TargetGateway, findings: FindingList) {
    this.#prices = prices;
    this.#find = prices.finder(list);
    this.#findings = findings;
  }

  find(wanted: WantedPrice, subject: FindingSubject): PriceSettings | undefined {
    const listed = this.#find(wanted);
    if (listed) return this.ofEntry(listed, subject);
    const known = this.#prices.known(wanted.name);
    if (known) this.#findings.add('price_from_table', subject, { model: wanted.name, day: known.day });
    return known?.settings;
  }

  /** `undefined`: it has fields that are no prices. */
  ofEntry(entry: PriceEntry, subject: FindingSubject): PriceSettings | undefined {
    const read = this.#prices.settingsOf(entry);
    for (const field of read?.rounded ?? []) this.#findings.add('price_rounded', subject, { field });
    return read?.settings;
  }
}
