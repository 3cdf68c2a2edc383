import { z } from 'zod';

export const mailedSchema = z
  .boolean()
  .describe('Whether an e-mail with the link is on its way. If not, pass the link on yourself.');
