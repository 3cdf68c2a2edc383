import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** A file of the dashboard. Compressed forms are undefined if they are not worth it. */
export interface DashboardFile {
  readonly contentType: string;
  readonly identity: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

export type DashboardFiles = ReturnType<typeof dashboardFiles>;

/** Output folder of the dashboard build. The relative path is the same in the sources and in the published package. */
export const builtDashboard = join(import.meta.dirname, '../../dashboard/dist');

/** More files than a build has. */
const assetsMax = 500;

/** Reads files of a built dashboard only: a decoded name must be a bare file name. */
export function dashboardFiles(folder: string) {
  const assets = new LRUCache<string, Promise<DashboardFile>>({ max: assetsMax });
  return {
    /** The page of every view; undefined if the dashboard is not built. */
    page: () => contentOf(join(folder, 'index.html')),
    icon: () => contentOf(join(folder, 'favicon.svg')),
    /** A built file by its bare name. Cached, because its name changes with its content. */
    async asset(name: string): Promise<DashboardFile | undefined> {
      const cached = assets.get(name);
      if (cached) return cached;
      const contentType = contentTypes[/^[\w-][\w.-]*\.(\w+)$/.exec(name)?.[1] ?? ''];
      if (contentType === undefined) return undefined;
      const identity = await contentOf(join(folder, 'assets', name));
      if (!identity) return undefined;
      const file = withEncodings(join(folder, 'assets', name), identity, contentType);
      assets.set(name, file);
      return file;
    },
  };
}

const contentTypes: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  png: 'image/png',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
});

const compressible = /^text\/|json|svg/;

/** Uses the compressed files of the build. If they are missing, compresses here, at a moderate level. */
async function withEncodings(path: string, identity: Buffer, contentType: string): Promise<DashboardFile> {
  if (!compressible.test(contentType)) return { contentType, identity, br: undefined, gzip: undefined };
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length };
  const [br, zipped] = await Promise.all([
    contentOf(`${path}.br`).then((built) => built ?? promisify(brotliCompress)(identity, { params })),
    contentOf(`${path}.gz`).then((built) => built ?? promisify(gzip)(identity)),
  ]);
  return { contentType, identity, br, gzip: zipped };
}

async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && absent.has(String(error.code))) return undefined;
    throw error;
  }
}

const absent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);
