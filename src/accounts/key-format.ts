import { secretFormat } from './secret-format.ts';

/** API keys, with which clients call models. */
export const { newSecret, wellFormed, displayForm } = secretFormat('gwk_live_');
