import { z } from 'zod';

/** What can be seen of the gateway from outside. */
export const telemetrySchema = z.strictObject({
  metrics: z
    .boolean()
    .prefault(true)
    .describe(
      'Whether figures are counted and served at `GET /metrics`: to anybody on `listen.health_port`, and on the main port to whoever has an operator’s token.',
    ),
});
