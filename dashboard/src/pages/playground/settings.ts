import type { Surface } from './surface.ts';
import { readTools, type Tool } from './tools.ts';

/** What is asked for besides the conversation, as it stands in the form; undefined is left to the model. */
export interface Settings {
  readonly surface: Surface;
  readonly model: string;
  readonly system: string;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly thinking: 'default' | 'on' | 'off';
  readonly effort: Effort | undefined;
  readonly stop: readonly string[];
  /** A JSON list, as it is typed. */
  readonly tools: string;
}

/** The settings, and how a field of the form changes them. */
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

/** The messages surface wants a cap in every request. */
export const usualMaxTokens = 4096;

/** Above it a request is refused. */
export function temperatureMax(surface: Surface): number {
  return surface === 'messages' ? 1 : 2;
}

/** The temperature as the surface allows it. */
export function temperatureOf({ temperature, surface }: Settings): number | undefined {
  return temperature === undefined ? undefined : Math.min(temperature, temperatureMax(surface));
}

/** The tools that are typed; none while what is typed cannot be read. */
export function toolsOf({ tools }: Settings): readonly Tool[] {
  const read = readTools(tools);
  return 'tools' in read ? read.tools : [];
}
