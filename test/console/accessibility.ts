import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { eventually } from '../eventually.ts';

// Not the readable one that the package leads to: it is twice as long, and every page has to take it in.
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Rows of a table after the third: they are made in the same way, and each takes its time. */
const FURTHER_ROWS = 'tbody tr:nth-child(n + 4)';

/** Returns axe's objections to the present page, one sentence for each element; WCAG 2.2 AA and best practices. */
async function violations(page: Page): Promise<string[]> {
  const isThere = await page.evaluate('typeof axe === "object"');
  if (isThere !== true) await page.evaluate(AXE);
  // Selectors and style sheets are left out: no rule here needs them, and they are a third of the work.
  return page.evaluate(`axe.run({ exclude: [['${FURTHER_ROWS}']] }, { resultTypes: ['violations'], selectors: false, preload: false })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
}

/** Axe has nothing against the page, once what an action has changed is drawn. */
export async function checkAccess(page: Page): Promise<void> {
  await eventually(() => violations(page)).toEqual([]);
}
