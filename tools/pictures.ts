import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { chromium } from 'playwright-core';
import { findProgram } from '../test/servers/needs.ts';

/**
 * `node tools/pictures.ts` makes the pictures of the README with the real program: an import of the first sample in a terminal, and
 * its page in the console, light and dark. It needs `script` of util-linux and a Chromium.
 */

const ROOT = join(import.meta.dirname, '..');
const SAMPLE = 'samples/first-import/members.csv';
const ROLLCALL = ['node_modules/.bin/node', 'bin/rollcall.js'];
const SCHEMES = ['light', 'dark'] as const;
/** Lines of a terminal that a picture shows. */
const LINES = 25;
const TERMINAL = {
  light: { paper: '#ffffff', ink: '#1f2328', red: '#b32424', green: '#1a6e35', yellow: '#7d5a00' },
  dark: { paper: '#15191f', ink: '#d7dce2', red: '#ff8a80', green: '#7ee29a', yellow: '#e5c07b' },
};
/** The Chromium of the tests knows no family by a general name. */
const FONT =
  'body, body * { font-family: DejaVu Sans, sans-serif } body code { font-family: DejaVu Sans Mono, monospace }';
/** Stands for the escape character. */
const ESC = '␛';
/** Classes of the codes that a terminal is sent (SGR); 22 and 39 end what came before. */
const CLASSES: Readonly<Record<string, string>> = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' };

const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-pictures-'));
const browser = await chromium.launch({ executablePath: findProgram('chromium'), args: ['--no-sandbox'] });
try {
  await takeTerminal();
  await takeConsole();
} finally {
  await browser.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function takeTerminal(): Promise<void> {
  const typescript = join(dataDir, 'typescript');
  const command = `stty cols 100 rows 40; ${[...ROLLCALL, 'import', SAMPLE, '--sandbox'].join(' ')}`;
  // The import has rows that cannot be imported, on purpose: `script` itself ends with 0.
  const env = { ...process.env, ROLLCALL_DATA_DIR: join(dataDir, 'terminal'), TERM: 'xterm-256color' };
  execFileSync('script', ['-qc', command, typescript], { cwd: ROOT, env, stdio: 'ignore' });
  const lines = [
    '$ npx rollcall import members.csv --sandbox',
    ...screenOf(readFileSync(typescript, 'utf8').replaceAll('\x1b', ESC)),
  ];
  const html = lines.slice(0, LINES).map(htmlOf).join('\n');
  for (const scheme of SCHEMES) {
    const { paper, ink, red, green, yellow } = TERMINAL[scheme];
    const page = await browser.newPage({ viewport: { width: 900, height: 200 }, deviceScaleFactor: 2 });
    await page.setContent(`<style>
      body { margin: 0; background: ${paper}; color: ${ink} } pre { margin: 0; padding: 20px; font: 14px/1.45 DejaVu Sans Mono, monospace }
      .bold { font-weight: bold } .dim { opacity: 0.75 } .red { color: ${red} } .green { color: ${green} } .yellow { color: ${yellow} }
    </style><pre>${html}</pre>`);
    await page.screenshot({ path: picture('terminal', scheme), fullPage: true });
    await page.close();
  }
}

/** The lines that are left on a screen on which progress is drawn again and again. */
function screenOf(written: string): string[] {
  const lines: string[] = [];
  let at = 0;
  const body = written.split('\n').slice(1).join('\n');
  for (const [, rows, way, clear, text] of body.matchAll(/␛\[(\d*)([AB])|(␛\[2K)|((?:(?!␛\[(?:\d*[AB]|2K)).)+|\n)/gs)) {
    if (way !== undefined) at += (way === 'A' ? -1 : 1) * Number(rows || 1);
    else if (clear !== undefined) lines[at] = '';
    else if (text !== undefined) {
      for (const [number, part] of text.split('\n').entries()) {
        if (number > 0) at += 1;
        lines[at] = `${lines[at] ?? ''}${part.replaceAll(/\r|␛\[(?:G|K|\?\d+[hl])/g, '')}`;
      }
    }
  }
  return lines.map((line) => line.replaceAll(`${ROOT}/samples/first-import/`, '').replaceAll(SAMPLE, 'members.csv'));
}

function htmlOf(line: string): string {
  const open: string[] = [];
  const spans = line.replaceAll(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const html = spans.replaceAll(/␛\[(\d+)m/g, (_, code: string) => {
    const name = CLASSES[code];
    if (name === undefined) return open.pop() === undefined ? '' : '</span>';
    open.push(name);
    return `<span class="${name}">`;
  });
  return html + '</span>'.repeat(open.length);
}

async function takeConsole(): Promise<void> {
  const port = await freePort();
  const server = spawn(ROLLCALL[0] ?? '', [...ROLLCALL.slice(1), 'serve', '--sandbox', '--port', String(port)], {
    cwd: ROOT,
    env: { ...process.env, ROLLCALL_DATA_DIR: join(dataDir, 'console') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    for await (const line of createInterface(server.stdout)) if (line.includes(String(port))) break;
    const answer = await fetch(`${url}/v1/imports?name=members.csv`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: await text(createReadStream(join(ROOT, SAMPLE))),
    });
    const { id } = (await answer.json()) as { id: string };
    for (const colorScheme of SCHEMES) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme, bypassCSP: true });
      await page.goto(`${url}/imports/${id}`);
      await page.getByText('completed').first().waitFor({ timeout: 60_000 });
      await page.getByRole('link', { name: 'Imports 1' }).waitFor();
      await page.addStyleTag({ content: FONT });
      await page.waitForLoadState('networkidle').catch(() => {});
      await page.screenshot({ path: picture('console', colorScheme) });
      await page.close();
    }
  } finally {
    server.kill('SIGINT');
    await once(server, 'exit');
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function picture(name: string, scheme: string): string {
  return join(ROOT, 'docs/pictures', `${name}-${scheme}.png`);
}
