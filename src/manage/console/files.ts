import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** A built file. Compressed forms are undefined if they are not worth it. */
export interface BuiltFile {
  readonly contentType: string;
  readonly identity: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

export type BuiltFiles = ReturnType<typeof builtFiles>;

/** Output folders of the builds. The relative paths are the same in the sources and in the published package. */
export const builtDashboard = join(import.meta.dirname, '../../../packages/dashboard/dist');
export const builtDocs = join(import.meta.dirname, '../../../docs/dist');

/** More files than a build has. */
const filesMax = 1000;

/** Reads the files of a build. It caches those whose names change with their content: all in `assets`. */
export function builtFiles(folder: string) {
  const files = new LRUCache<string, Promise<BuiltFile>>({ max: filesMax });
  return {
    /** A file by its path, decoded, with `/` between names. A name must not begin with a dot. */
    async file(path: string): Promise<BuiltFile | undefined> {
      const cached = files.get(path);
      if (cached) return cached;
      const contentType = contentTypes[/^(?:[\w@-][\w.@-]*\/)*[\w@-][\w.@-]*\.(\w+)$/.exec(path)?.[1] ?? ''];
      if (contentType === undefined) return undefined;
      const identity = await contentOf(join(folder, path));
      if (!identity) return undefined;
      const file = withEncodings(join(folder, path), identity, contentType);
      if (path.startsWith('assets/')) files.set(path, file);
      return file;
    },
  };
}

const contentTypes: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  png: 'image/png',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
});

const compressible = /^text\/|json|svg|yaml/;

/** Uses the compressed files of the build. If they are missing, compresses here, at a moderate level. */
async function withEncodings(path: string, identity: Buffer, contentType: string): Promise<BuiltFile> {
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

const absent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);
