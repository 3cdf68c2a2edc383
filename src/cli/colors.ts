import { styleText } from 'node:util';

/** Colours of terminal output. Node omits them if the output is no terminal, or the environment has `NO_COLOR`. */
export const colors = {
  bold: (text: string) => styleText('bold', text),
  cyan: (text: string) => styleText('cyan', text),
  dim: (text: string) => styleText('dim', text),
  green: (text: string) => styleText('green', text),
  red: (text: string) => styleText('red', text),
  yellow: (text: string) => styleText('yellow', text),
};
