import { globSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { build as buildWithVite } from 'vite';

/**
 * Builds `src` into a folder that needs no installed package, and says from which packages something came along. Each module
 * stays a file of its own, because threads and the jobs of the store are found by the address of their module; of each
 * package only what is reached from there is taken, into `vendor`.
 */
export async function bundleServer(root: string, into: string): Promise<readonly string[]> {
  rmSync(into, { recursive: true, force: true });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(serverModules(root).map((file) => [file.slice(0, -'.ts'.length), join('src', file)])),
    platform: 'node',
    // A constant that is copied into other files could not be stamped any more.
    optimization: { inlineConst: false },
    plugins: [onlyWhenRequired],
  });
  const { output } = await build.write({
    dir: into,
    format: 'esm',
    preserveModules: true,
    preserveModulesRoot: 'src',
    // Folders of that name are left out when a package is packed.
    entryFileNames: ({ name }) => `${name.replaceAll('node_modules', 'vendor')}.js`,
  });
  await build.close();
  return packagesIn(root, output);
}

/**
 * A CommonJS module with a file of its own is run as soon as that is loaded, and so before modules that it requires in a
 * circle. Who uses it requires it by name, so that line goes, unless somebody imports the module late and awaits it.
 */
const onlyWhenRequired: Plugin = {
  name: 'only-when-required',
  renderChunk(code, { moduleIds }) {
    const isAwaited = moduleIds.some((id) => (this.getModuleInfo(id)?.dynamicImporters.length ?? 0) > 0);
    return isAwaited ? undefined : code.replace(/^export default require_\w+\(\);$/gm, '');
  },
};

/** Builds the dashboard where the server looks for it, and says from which packages something came along. */
export async function bundleDashboard(root: string): Promise<readonly string[]> {
  const built = await buildWithVite({ root: join(root, 'dashboard'), logLevel: 'warn' });
  return packagesIn(
    root,
    [built].flat().flatMap((one) => ('output' in one ? one.output : [])),
  );
}

function serverModules(root: string): readonly string[] {
  const isOnlyForTests = /\.test\.ts$|(^|\/)fixtures\/|^cli\/conform\/fake\//;
  return globSync('**/*.ts', { cwd: join(root, 'src') }).filter((file) => !isOnlyForTests.test(file));
}

type Output = readonly ({ readonly type: 'asset' } | Pick<OutputChunk, 'type' | 'moduleIds'>)[];

/** Their folders, seen from the root; a package may have others of its own inside. */
function packagesIn(root: string, output: Output): readonly string[] {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const folders = modules.map((id) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(relative(root, id))?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].toSorted();
}
