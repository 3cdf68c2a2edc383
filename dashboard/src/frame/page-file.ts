import { ApiError } from '../api/api-error.ts';
import { isReachable } from '../api/reachable.ts';

/**
 * Loads the file of a page. If that fails, the router reloads the dashboard, because a newer version has other file
 * names. If the gateway is unreachable, a reload would end at the browser's error page and lose all typed text; so the
 * error becomes `unreachable`.
 */
export function pageFile<File>(load: () => Promise<File>): () => Promise<File> {
  return async () => {
    try {
      return await load();
    } catch (cause) {
      throw (await isReachable()) ? cause : ApiError.unreachable(cause);
    }
  };
}
