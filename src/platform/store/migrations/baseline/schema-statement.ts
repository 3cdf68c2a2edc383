import type { Engine } from '../../engine.ts';

/** One SQL statement for both engines, or one for each that needs it. */
export type SchemaStatement = string | Readonly<Partial<Record<Engine, string>>>;
