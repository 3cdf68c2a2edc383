import { ApiError } from './api-error.ts';
import { ownerHeaders, type Query, searchOf } from './call.ts';

/** Fetches a file and saves it. A link could not send the header of the owner. */
export async function download(
  path: string,
  {
    query,
    owner,
    fileName,
    method = 'GET',
  }: {
    readonly query: Query;
    readonly owner?: string | undefined;
    readonly fileName: string;
    /** POST if the gateway logs each download. */
    readonly method?: 'GET' | 'POST';
  },
): Promise<void> {
  const response = await fetch(path + searchOf(query), {
    method,
    headers: { accept: '*/*', ...ownerHeaders(path, owner) },
    credentials: 'same-origin',
  }).catch((cause: unknown) => {
    throw ApiError.unreachable(cause);
  });
  if (!response.ok) throw ApiError.of(response, await response.text());
  saveFile(fileName, await response.blob());
}

/** Saves a blob as a file. Replaces characters that some file systems reject. */
export function saveFile(fileName: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  link.click();
  URL.revokeObjectURL(address);
}
