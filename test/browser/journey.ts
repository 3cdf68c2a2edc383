import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * The actions of a user in one journey, counted. An action is one click, one key or shortcut, one field filled, or one
 * option chosen. Waiting and reading cost nothing. Only the first address is typed: a user knows no other.
 */
export interface Journey {
  click(target: Locator): Promise<void>;
  fill(target: Locator, text: string): Promise<void>;
  press(keys: string): Promise<void>;
  /** Opens a link outside of the dashboard, such as one in an e-mail. */
  open(link: string, where: string): Promise<void>;
  /** Fails if the journey took more actions. The failure lists them. */
  expectWithin(budget: number): void;
}

export function journeyOn(page: Page): Journey {
  const actions: string[] = [];
  return {
    click: async (target) => {
      actions.push(`click ${nameOf(target)}`);
      await target.click();
    },
    fill: async (target, text) => {
      actions.push(`fill ${nameOf(target)}`);
      await target.fill(text);
    },
    press: async (keys) => {
      actions.push(`press ${keys}`);
      await page.keyboard.press(keys);
    },
    open: async (link, where) => {
      actions.push(`open the link in ${where}`);
      await page.goto(link);
    },
    expectWithin: (budget) => {
      const list = actions.map((action, index) => `${index + 1}. ${action}`).join('\n');
      if (process.env['JOURNEYS']) process.stdout.write(`${actions.length} of ${budget} actions\n${list}\n`);
      expect(actions.length, `More than ${budget} actions:\n${list}`).toBeLessThanOrEqual(budget);
    },
  };
}

/** The locator as it is written in the test: roles and names that a user sees. */
function nameOf(target: Locator): string {
  return String(target).replace(/^locator\('body'\)\./, '');
}
