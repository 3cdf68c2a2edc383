/** What the embedded store calls the clock that was given to it. */
export const sqliteNow = 'gateway_now';
