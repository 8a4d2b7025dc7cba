import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../eventually.ts';
import { checkAccess } from './accessibility.ts';

const SCREENS = [
  { width: 320, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
] as const;

/**
 * Nothing is wider than the screen of a dark phone and of a light desktop, and axe finds nothing on the phone: the elements
 * are the same, and assets.test.ts compares the colours of both schemes. CONSOLE_SHOTS names a folder for pictures of what
 * was looked at.
 */
export async function checkScreens(page: Page, name: string): Promise<void> {
  for (const { width, colorScheme } of SCREENS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const shots = process.env['CONSOLE_SHOTS'];
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}-${width}.png`), fullPage: true });
    const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await eventually(() => page.evaluate(overhang)).toBe(0);
    if (width === 320) await checkAccess(page);
  }
}
