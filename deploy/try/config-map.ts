import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

/** Prints the gateway.yaml that a rendered chart hands to its pods, after a look at what every document is. */
interface Rendered {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly data?: Readonly<Record<string, string>>;
}

const documents = parseAllDocuments(readFileSync(process.argv[2] ?? '', 'utf8'), { uniqueKeys: true });
const objects = documents.map((document) => {
  if (document.errors.length > 0) throw new Error(String(document.errors[0]));
  return document.toJS() as Rendered | null;
});
const nameless = objects.filter((object) => object !== null && object.metadata?.name === undefined);
if (nameless.length > 0) throw new Error(`${nameless.length} objects have no name.`);
const config = objects.map((object) => object?.data?.['gateway.yaml']).find((text) => text !== undefined);
if (config === undefined) throw new Error('There is no gateway.yaml in it.');
process.stdout.write(config);
