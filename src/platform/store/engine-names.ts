/** The SQL function of the embedded store that returns the time of the clock passed to it. */
export const sqliteNow = 'gateway_now';
