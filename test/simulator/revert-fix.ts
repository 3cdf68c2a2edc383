import { registerHooks } from 'node:module';
import type { Mutant } from './mutants.ts';

/** From now on the file is loaded without its mend. Must come before whatever imports that file. */
export function unmend({ name, file, mended, unmended }: Mutant): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${file}`)) return loaded;
      const source = String(loaded.source);
      if (!source.includes(mended)) throw new Error(`${file} no longer has what ${name} would take out of it`);
      return { ...loaded, source: source.replace(mended, unmended) };
    },
  });
}
