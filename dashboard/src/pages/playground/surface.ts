/** The wire formats that the playground can use. */
export type Surface = 'chat' | 'messages' | 'responses';
