import { z } from 'zod';

/** Whether a link goes to its reader by itself. */
export const mailedSchema = z
  .boolean()
  .describe('Whether a letter with the link is on its way; otherwise it has to be passed on.');
