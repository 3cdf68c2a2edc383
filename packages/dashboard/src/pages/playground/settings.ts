import { readTools, type Tool } from './tools.ts';

/** The parameters of the form, besides the conversation. Undefined leaves the choice to the model. */
export interface Settings {
  readonly surface: Surface;
  readonly model: string;
  readonly system: string;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly thinking: 'default' | 'on' | 'off';
  readonly effort: Effort | undefined;
  readonly stop: readonly string[];
  /** A JSON list, as typed. */
  readonly tools: string;
}

/** The settings and their setter. */
export interface SettingsForm {
  readonly settings: Settings;
  readonly onChange: (change: Partial<Settings>) => void;
}

export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

export const firstSettings: Settings = {
  surface: 'chat',
  model: '',
  system: '',
  temperature: undefined,
  maxTokens: undefined,
  thinking: 'default',
  effort: undefined,
  stop: [],
  tools: '',
};

/** The messages surface requires a limit in every request. */
export const defaultMaxTokens = 4096;

/** The gateway rejects higher values. */
export function temperatureMax(surface: Surface): number {
  return surface === 'messages' ? 1 : 2;
}

/** The temperature, limited to the maximum of the surface. */
export function temperatureOf({ temperature, surface }: Settings): number | undefined {
  return temperature === undefined ? undefined : Math.min(temperature, temperatureMax(surface));
}

/** The typed tools. Empty while the text is invalid. */
export function toolsOf({ tools }: Settings): readonly Tool[] {
  const read = readTools(tools);
  return 'tools' in read ? read.tools : [];
}

/** The wire formats that the playground can use. */
export type Surface = 'chat' | 'messages' | 'responses';
