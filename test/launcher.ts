import { join } from 'node:path';

/** Names the launcher of a gateway as it is shipped, built for the processes of one run. */
export const builtLauncherVariable = 'TEST_BUILT_LAUNCHER';

/** Starts a gateway as it is shipped, which takes half of what the source does. Outside of a run it is the source. */
export const launcher = process.env[builtLauncherVariable] ?? join(import.meta.dirname, '../bin/chat-gateway.cjs');
