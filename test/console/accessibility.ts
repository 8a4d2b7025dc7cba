import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe objects to on the page as it is now, one sentence for each element; WCAG 2.2 AA and best practices. */
export async function violations(page: Page): Promise<string[]> {
  const isThere = await page.evaluate('typeof axe === "object"');
  if (isThere !== true) await page.evaluate(axe.source);
  // Colours that still change, as after a switch to the dark scheme, say nothing about contrast. They are not waited for:
  // the transition of a button inside a closed <details> never ends.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // Selectors and style sheets are left out: no rule here needs them, and they are a third of the work.
  return page.evaluate(`axe.run({ resultTypes: ['violations'], selectors: false, preload: false }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
}
