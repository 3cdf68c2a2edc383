import { registerHooks } from 'node:module';
import type { Mutant } from './mutants.ts';

/** Makes Node load the file without its fix. Must run before any import of that file. */
export function revertFix({ name, file, fixed, broken }: Mutant): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${file}`)) return loaded;
      const source = String(loaded.source);
      if (!source.includes(fixed)) throw new Error(`${file} no longer contains the fix of the mutant ${name}`);
      return { ...loaded, source: source.replace(fixed, broken) };
    },
  });
}
