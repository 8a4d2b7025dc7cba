import { describe, expect, test } from 'vitest';
import { DARK, LIGHT } from '../../../src/imports/report/html.ts';

/** Contrast ratio of two colours `#rrggbb` (WCAG 2.2, relative luminance). */
function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe.each([
  ['light', LIGHT],
  ['dark', DARK],
])('the %s scheme', (_, scheme) => {
  const onPaper = (name: string) => contrast(scheme[name] ?? '', scheme['paper'] ?? '');

  test.each(['ink', 'soft', 'good', 'attention', 'fault'])(
    'gives the text colour %s a contrast of 4.5 to 1',
    (name) => {
      expect(onPaper(name)).toBeGreaterThanOrEqual(4.5);
    },
  );
});
