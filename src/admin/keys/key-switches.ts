import { z } from 'zod';

// The settings of a key that are on or off, as requests send them.

export const honourSchema = z
  .boolean()
  .describe(
    'Whether `stream: false` gets one JSON body on the chat surface instead of a stream. For clients that cannot read a stream.',
  );

export const costSchema = z
  .boolean()
  .describe(
    'Whether the usage of its answers has `cost`, the charge as decimal text. JSON replies also have the header `x-gateway-cost`.',
  );

export const storeSchema = z
  .boolean()
  .describe(
    'Whether bodies of requests and answers are stored, encrypted and for a limited time. Refused if `stored_bodies` of the configuration does not allow it. The account is notified when storing begins.',
  );
