import type { ImportPlan } from './plan.ts';
import type { Secret } from './secret.ts';
import type { TableReader } from './table-reader.ts';
import type { TargetGateway } from './target.ts';

/** A text file of the source, such as `config.yaml` or a saved answer of `/api/pricing`. */
export interface SourceDocument {
  readonly name: string;
  readonly text: string;
}

/** The sources of a command line. One importer may need tables, documents or both. */
export interface ImportInput {
  readonly tables: TableReader | undefined;
  readonly documents: readonly SourceDocument[];
  /** Decrypts provider credentials. */
  readonly saltKey: Secret | undefined;
  readonly now: number;
  readonly target: TargetGateway;
}

/** Reads a source and plans the import. Throws an `ImportError` for a source that it cannot read. */
export type Importer = (input: ImportInput) => Promise<ImportPlan>;

/** A source that the importer cannot read, and the next step. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}
