import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { build as buildWithVite } from 'vite';

/**
 * Builds `src` into a folder that needs no installed package, and says from which packages something came along. What is
 * loaded together is one file: to find and to link a thousand of them takes half of a start. A module that somebody finds
 * by its address still has a file there.
 */
export async function bundleServer(root: string, into: string): Promise<readonly string[]> {
  rmSync(into, { recursive: true, force: true });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(addressedModules(root).map((name) => [name, join('src', `${name}.ts`)])),
    platform: 'node',
    // A constant that is copied into other files could not be stamped any more.
    optimization: { inlineConst: false },
    plugins: [ownAddress(root)],
  });
  const { output } = await build.write({
    dir: into,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js',
  });
  await build.close();
  return packagesIn(root, output);
}

/** What is found by its address: the program, threads, the jobs of the store, and whoever looks for a file beside itself. */
function addressedModules(root: string): readonly string[] {
  const source = join(root, 'src');
  const isOnlyForTests = /\.test\.ts$|(^|\/)fixtures\/|^cli\/conform\/fake\//;
  const isAddressed = (file: string): boolean =>
    file === 'cli/main.ts' || file.endsWith('-worker.ts') || readFileSync(join(source, file), 'utf8').includes(own);
  return globSync('**/*.ts', { cwd: source })
    .filter((file) => !isOnlyForTests.test(file) && isAddressed(file))
    .map((file) => file.slice(0, -'.ts'.length));
}

const own = 'import.meta';

/** A module may lie in a file with others. It is told the address that it has alone; all files lie one folder deep. */
function ownAddress(root: string): Plugin {
  return {
    name: 'own-address',
    transform(code, id) {
      const name = /^src\/(.*)\.ts$/.exec(relative(root, id))?.[1];
      if (name === undefined || !code.includes(own)) return undefined;
      const [folder, ...rest] = name.split('/');
      if (rest.length !== 1) throw new Error(`${name} uses ${own} and must lie right in a folder of src.`);
      const addresses: Readonly<Record<string, string>> = {
        url: `new URL('../${name}.js', ${own}.url).href`,
        dirname: `(${own}.dirname + '/../${folder}')`,
        filename: `(${own}.dirname + '/../${name}.js')`,
      };
      return code.replaceAll(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, part: string) => addresses[part] ?? '');
    },
  };
}

/** Builds the dashboard where the server looks for it, and says from which packages something came along. */
export async function bundleDashboard(root: string): Promise<readonly string[]> {
  const built = await buildWithVite({ root: join(root, 'dashboard'), logLevel: 'warn' });
  return packagesIn(
    root,
    [built].flat().flatMap((one) => ('output' in one ? one.output : [])),
  );
}

type Output = readonly ({ readonly type: 'asset' } | Pick<OutputChunk, 'type' | 'moduleIds'>)[];

/** Their folders, seen from the root; a package may have others of its own inside. */
function packagesIn(root: string, output: Output): readonly string[] {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const folders = modules.map((id) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(relative(root, id))?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].toSorted();
}
