import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { consoleBundle } from '../../src/server/console-files.ts';

const FOLDER = new URL('../../src/console/', import.meta.url);
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8');
const scripts = files.filter((name) => /\.tsx?$/.test(name));

test('no script of the console makes markup or code from text', () => {
  expect(scripts.length).toBeGreaterThan(20);
  const forbidden =
    /\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|parseFromString|srcdoc|eval|Function)\b|document\.write|setAttribute\('style'|javascript:/;
  for (const name of scripts) expect(forbidden.exec(read(name))?.[0], name).toBeUndefined();
  expect('element.innerHTML = text').toMatch(forbidden);
});

test('the page brings everything itself: a small script and one stylesheet, nothing inline, nothing from elsewhere', async () => {
  const assets = await consoleBundle();
  const text = String(assets.get('index.html'));
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?:|\/\//);
  const named = [...text.matchAll(/(?:src|href)="\/assets\/([^"]+)"/g)].map(([, name = '']) => name);
  const [scripts, others] = [
    named.filter((name) => name.endsWith('.js')),
    named.filter((name) => !name.endsWith('.js')),
  ];
  expect(new Set(others)).toEqual(new Set(['mark.svg', expect.stringMatching(/^style-\w{8}\.css$/)]));
  expect(scripts.at(-1)).toMatch(/^main-\w{8}\.js$/);
  // Pages have scripts of their own, which come when they are opened.
  const early = scripts.reduce((sum, name) => sum + gzipSync(assets.get(name) ?? '').length, 0);
  expect(early).toBeLessThan(45_000);
  for (const name of named) {
    const body = assets.get(name) ?? expect.fail(name);
    if (name.endsWith('.css')) expect(body.toString()).not.toMatch(/url\((?!'data:)|@import/);
  }
  const sheet = read('style.css');
  for (const name of files.filter((file) => file.endsWith('.css') && file !== 'style.css')) {
    expect(sheet, 'a stylesheet that no page loads').toContain(`"./${name}"`);
  }
});

test.each(['light', 'dark'])('texts have a contrast of 4.5:1 and drawn areas of 3:1 in the %s scheme', (scheme) => {
  const colours = coloursOf(scheme);
  const poor = (pairs: readonly (readonly [string, string])[], least: number) =>
    pairs.filter(([front, back]) => contrast(colours, front, back) < least);
  const grounds = ['--paper', '--ground'];
  const texts = ['--ink', '--soft', '--accent', '--danger', '--attention'];
  const washes = [
    ['--attention', '--attention-wash'],
    ['--accent', '--accent-wash'],
    ['--paper', '--accent'],
    ['--paper', '--attention'],
    ['--ink', '--accent-wash'],
    ['--ink', '--track'],
    ['--ink', '--attention-wash'],
    ['--soft', '--attention-wash'],
  ] as const;
  const drawn = ['added', 'banned', 'already_member', 'failed', 'invalid', 'duplicate', 'unconfirmed', 'unprocessed'];
  expect(poor([...texts.flatMap((text) => grounds.map((ground) => [text, ground] as const)), ...washes], 4.5)).toEqual(
    [],
  );
  expect(poor([...drawn.map((name) => [`--${name}`, '--paper'] as const), ['--edge', '--paper']], 3)).toEqual([]);
});

function coloursOf(scheme: string): ReadonlyMap<string, string> {
  const pairs = read('kit/theme.css').matchAll(/(--[\w-]+):\s*light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g);
  return new Map([...pairs].map(([, name = '', light = '', dark = '']) => [name, scheme === 'light' ? light : dark]));
}

/** WCAG's ratio of two colours of the theme. */
function contrast(colours: ReadonlyMap<string, string>, one: string, other: string): number {
  const [dark = 0, bright = 0] = [one, other].map((name) => luminance(colours.get(name))).toSorted((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function luminance(colour: string | undefined): number {
  if (colour === undefined) throw new Error('theme.css does not have this colour');
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
