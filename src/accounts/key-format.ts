import { secretFormat } from './secret-format.ts';

/** API keys: what clients send to have models answer. */
export const { newSecret, wellFormed, displayForm } = secretFormat('gwk_live_');
