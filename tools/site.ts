import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, resolve } from 'node:path';

/**
 * `npm run site` makes the site of the documents in `site/`, or in the folder that is named: the README, docs and the other documents of
 * the repository as they are, the schemas, and for programs llms.txt, llms-full.txt and each page as Markdown beside it. VitePress wants a
 * folder of its own, so they are copied into one.
 */

const ROOT = join(import.meta.dirname, '..');
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const REPOSITORY = MANIFEST.repository.url.replace(/^git\+|\.git$/g, '');
const OTHERS = ['CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'CHANGELOG.md'];
/** The site has two schemes that a reader chooses, and a picture of GitHub follows the system. */
const PICTURE = /<picture>\s*<source[^>]*srcset="([^"]*)"[^>]*>\s*<img src="([^"]*)"([^>]*)>\s*<\/picture>/g;

/** The documents by the path that they have in the repository and on the site, with their text for the site. */
function pages(): ReadonlyMap<string, string> {
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const paths = ['README.md', ...docs.toSorted().map((name) => `docs/${name}`), ...OTHERS];
  const known = new Set(paths);
  return new Map(paths.map((path) => [onSite(path), forSite(path, known)]));
}

/** The first page is the index of the site. */
const onSite = (path: string) => (path === 'README.md' ? 'index.md' : path);

function forSite(path: string, known: ReadonlySet<string>): string {
  return readFileSync(join(ROOT, path), 'utf8')
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .replaceAll(PICTURE, '<img class="dark-only" src="./$1"$3><img class="light-only" src="./$2"$3>')
    .replaceAll(/\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (whole, link: string, anchor = '') => {
      if (/^\w+:/.test(link)) return whole;
      const target = posix.join(posix.dirname(path), link);
      // Files that are no pages stay in the repository.
      if (!known.has(target)) return `](${REPOSITORY}/blob/main/${target}${anchor})`;
      return `](${posix.relative(posix.dirname(path), onSite(target)) || posix.basename(target)}${anchor})`;
    });
}

const titleOf = (text: string) => /^# (.+)$/m.exec(text)?.[1] ?? '';

interface Group {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Returns the links of README's "Read on", for each kind of reader. */
function sidebar(readme: string): Group[] {
  const [, table = ''] = /^## Read on\n(.*)/ms.exec(readme) ?? [];
  return [...table.matchAll(/^\| ([^|]+) \| (\[.*) \|$/gm)].map(([, text = '', links = '']) => ({
    text: `For ${text}`,
    items: [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\.md\)/g)].map(([, name = '', link]) => ({
      text: name.charAt(0).toUpperCase() + name.slice(1),
      link: `/${link}`,
    })),
  }));
}

function config(readme: string, base: string): string {
  const settings = {
    title: 'rollcall',
    description: MANIFEST.description,
    lang: 'en',
    base,
    cleanUrls: true,
    // A path of the project's own files is no page; a test follows all links.
    ignoreDeadLinks: true,
    // Without it, browsers ask for /favicon.ico.
    head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}mark.svg` }]],
    // Its own folder decides, not the project's tsconfig.json.
    vite: { esbuild: { tsconfigRaw: '{}' } },
    themeConfig: {
      nav: [
        { text: 'Files', link: '/docs/files' },
        { text: 'Commands', link: '/docs/flags' },
        { text: 'Settings', link: '/docs/settings' },
        {
          text: MANIFEST.version,
          items: [
            { text: 'Changelog', link: '/CHANGELOG' },
            { text: 'All versions', link: `${REPOSITORY}/releases` },
          ],
        },
      ],
      sidebar: sidebar(readme),
      outline: [2, 3],
      search: { provider: 'local' },
      socialLinks: [{ icon: 'github', link: REPOSITORY }],
    },
  };
  const theme = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' };
  // Anchors as GitHub makes them: the documents name those.
  const slugify = `(text) => text.toLowerCase().replaceAll(/[^\\p{L}\\p{N}\\s_-]/gu, '').replaceAll(' ', '-')`;
  return `export default { ...${JSON.stringify(settings)}, markdown: { theme: ${JSON.stringify(theme)}, anchor: { slugify: ${slugify} } } };\n`;
}

const THEME = `import theme from 'vitepress/theme';
import './style.css';
export default theme;
`;
/** Beside the pictures: what axe misses in the theme, contrast of a block's language and a button whose name is all of its text. */
const STYLE = `.dark .light-only, html:not(.dark) .dark-only { display: none; }
.vp-doc [class*='language-'] > span.lang { color: var(--vp-c-text-2); }
.DocSearch-Button-Keys { display: none !important; }
`;

/** Makes the site. @param base the path that it will have on its server */
export async function buildSite(outDir: string, base = new URL(MANIFEST.homepage).pathname): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-site-'));
  try {
    const all = pages();
    for (const [path, text] of all) write(join(folder, path), text);
    cpSync(join(ROOT, 'docs/pictures'), join(folder, 'docs/pictures'), { recursive: true });
    cpSync(join(ROOT, 'src/console/mark.svg'), join(folder, 'public/mark.svg'));
    write(join(folder, '.vitepress/config.mjs'), config(all.get('index.md') ?? '', base));
    write(join(folder, '.vitepress/theme/index.js'), THEME);
    write(join(folder, '.vitepress/theme/style.css'), STYLE);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const { build } = await import('vitepress');
    // In this folder, esbuild reads tsconfig.json, and warns of a target that is newer than it.
    process.chdir(folder);
    await build(folder, { outDir });
    process.chdir(ROOT);
    for (const [path, text] of all) write(join(outDir, path), text);
    write(join(outDir, 'llms.txt'), llms(all));
    write(join(outDir, 'llms-full.txt'), [...all.values()].join('\n\n'));
    cpSync(join(ROOT, 'schemas'), join(outDir, 'schemas'), { recursive: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** llmstxt.org: what the project is, and where its pages are as Markdown. */
function llms(all: ReadonlyMap<string, string>): string {
  const list = [...all].map(([path, text]) => `- [${titleOf(text)}](${MANIFEST.homepage}${path})`);
  return `# rollcall\n\n> ${MANIFEST.description}\n\n## Pages\n\n${list.join('\n')}\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (import.meta.main) {
  const outDir = resolve(process.argv[2] ?? join(ROOT, 'site'));
  await buildSite(outDir);
  process.stdout.write(`The site is in ${relative('', outDir)}\n`);
}
