import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { violations } from './accessibility.ts';

const SCREENS = [
  { width: 320, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
] as const;

/**
 * No violation and nothing wider than the screen, on a dark phone and a light desktop. CONSOLE_SHOTS names a folder for
 * pictures of what was looked at.
 */
export async function checkScreens(page: Page, name: string): Promise<void> {
  for (const { width, colorScheme } of SCREENS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const shots = process.env['CONSOLE_SHOTS'];
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true });
    expect(await violations(page), `${name} at ${width}`).toEqual([]);
    const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await eventually(() => page.evaluate(overhang)).toBe(0);
  }
}
