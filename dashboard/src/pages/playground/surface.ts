/** The wire formats a request can be tried in. */
export type Surface = 'chat' | 'messages' | 'responses';
