import { ApiError } from '../api/api-error.ts';
import { isReachable } from '../api/reachable.ts';

/**
 * Loads a page's file. Where that fails the router loads the whole dashboard anew, for a newer version has files of other
 * names; without a gateway that would end at an error page of the browser, with everything gone that is typed.
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
