import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { build as buildWithVite } from 'vite';

/**
 * Builds `src` into a folder that needs no installed package, and returns the packages that it contains. Modules that
 * are loaded together become one file, because loading a thousand files takes half of the start time. A module that is
 * loaded by its address keeps its own file.
 */
export async function bundleServer(root: string, into: string): Promise<readonly string[]> {
  rmSync(into, { recursive: true, force: true });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(addressedModules(root).map((name) => [name, join('src', `${name}.ts`)])),
    platform: 'node',
    // A constant that is inlined into other files could not be stamped any more.
    optimization: { inlineConst: false },
    // Packages in the older format may read it while they load.
    transform: { define: { __dirname: 'import.meta.dirname' } },
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

/**
 * Modules that are loaded by their address: the program, threads, the jobs of the store, and modules that look for a
 * file next to themselves.
 */
function addressedModules(root: string): readonly string[] {
  const source = join(root, 'src');
  const isAddressed = (file: string): boolean =>
    file === 'cli/main.ts' || file.endsWith('-worker.ts') || readFileSync(join(source, file), 'utf8').includes(own);
  return globSync('**/*.ts', { cwd: source })
    .filter((file) => !file.endsWith('.test.ts') && isAddressed(file))
    .map((file) => file.slice(0, -'.ts'.length));
}

const own = 'import.meta';

/** Stands for the path from a built file to the folder of the build, until the place of that file is known. */
const builtRoot = '@built-root@';

/** A module may be bundled into a shared file. The plugin gives it the address that it would have alone. */
function ownAddress(root: string): Plugin {
  return {
    name: 'own-address',
    transform(code, id) {
      const name = /^src\/(.*)\.ts$/.exec(relative(root, id))?.[1];
      if (name === undefined || !code.includes(own)) return undefined;
      const addresses: Readonly<Record<string, string>> = {
        url: `new URL('${builtRoot}/${name}.js', ${own}.url).href`,
        dirname: `(${own}.dirname + '/${builtRoot}/${dirname(name)}')`,
        filename: `(${own}.dirname + '/${builtRoot}/${name}.js')`,
      };
      return code.replaceAll(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, part: string) => addresses[part] ?? '');
    },
    renderChunk(code, { fileName }) {
      return code.includes(builtRoot) ? code.replaceAll(builtRoot, relative(dirname(fileName), '') || '.') : undefined;
    },
  };
}

/** Builds the dashboard into the folder that the server serves, and returns the packages that it contains. */
export async function bundleDashboard(root: string): Promise<readonly string[]> {
  const built = await buildWithVite({ root: join(root, 'packages/dashboard'), logLevel: 'warn' });
  return packagesIn(
    root,
    [built].flat().flatMap((one) => ('output' in one ? one.output : [])),
  );
}

/** Builds the documentation site into the folder that the server serves, and returns the packages that it contains. */
export async function bundleDocs(root: string): Promise<readonly string[]> {
  // Tests that build only the server need not load it.
  const { build: buildSite } = await import('vitepress');
  const packages = new Set<string>();
  const collect = {
    name: 'collect-packages',
    // VitePress also builds a program that renders the pages, which is not shipped.
    apply: ({ build }: { readonly build?: { readonly ssr?: boolean | string } }) => !build?.ssr,
    generateBundle(_: unknown, files: Readonly<Record<string, Output[number]>>) {
      for (const folder of packagesIn(root, Object.values(files))) packages.add(folder);
    },
  };
  await buildSite(join(root, 'docs'), {
    onAfterConfigResolve: (site) => {
      site.vite = { ...site.vite, logLevel: 'warn', plugins: [...(site.vite?.plugins ?? []), collect] };
    },
  });
  return [...packages];
}

type Output = readonly ({ readonly type: 'asset' } | Pick<OutputChunk, 'type' | 'moduleIds'>)[];

/** The folders of packages, relative to the root. A package may contain packages of its own. */
function packagesIn(root: string, output: Output): readonly string[] {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const folders = modules.map((id) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(relative(root, id))?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].toSorted();
}
