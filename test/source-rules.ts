import { dirname, join, normalize } from 'node:path/posix';

/** A source file by its path from the project's folder, with slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Rooms by height (docs/architecture.md): a file imports from lower rooms only, or from its own. Those of an import stand
 * in the order in which a row passes them, above the ledger that they share. The core is below the features, and these are
 * below the doors.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['src/text'],
  ['src/errors'],
  ['src/chat/service'],
  ['src/membership'],
  ['src/platform'],
  ['src/options'],
  ['src/api'],
  ['src/chat', 'src/queue'],
  ['src/imports/read'],
  ['src/sources'],
  ['src/imports'],
  ['src/imports/predictions'],
  ['src/imports/ends'],
  ['src/imports/record'],
  ['src/imports/stage'],
  ['jobs'],
  ['src/imports/ask'],
  ['src/imports/survey'],
  ['src/imports/report'],
  ['src/imports/send'],
  ['src/imports/life'],
  ['src/app'],
  ['src/features/recipes'],
  ['src/features/inspect'],
  ['src/features/export'],
  ['src/features/correct'],
  ['src/features/check'],
  ['src/features/sync'],
  ['src/features/schedule'],
  ['src/features/notify'],
  ['src/server'],
  ['src/cli'],
  // The programmatic API.
  ['src'],
];
/** Folders whose folders are rooms of their own. */
const STOREYS: ReadonlySet<string> = new Set(['chat', 'imports', 'features']);
/** Parts of a feature's folder that belong to a door, or to the API: the rest, the feature itself, stands at the folder's height. */
const PARTS_OF_FEATURES: readonly (readonly [path: RegExp, room: string])[] = [
  [/^src\/features\/[\w-]+\/api\b/, 'src/api'],
  [/^src\/features\/[\w-]+\/routes\b/, 'src/server'],
  [/^src\/features\/[\w-]+\/commands\b/, 'src/cli'],
  [/^src\/features\/[\w-]+\/pages?\b/, 'src/console'],
];

/** Files that the sandbox may share with the rest, so that client and service cannot agree on a mistake. */
const SHARED_WITH_SANDBOX =
  /^src\/(chat\/contract\.ts|chat\/service\/(limits|lists|regions)\.ts|membership\/|errors\/)/;
/** Rooms whose types the console takes: what the API answers. */
const SHARED_WITH_CONSOLE: ReadonlySet<string> = new Set(['src/api', 'src/membership', 'src/options']);
/** Types of what a feature's operations take and answer. */
const OPERATIONS = /^src\/features\/[\w-]+\/operations\.ts$/;
/** Words, sizes and rules that are bundled with it: files that import no package, and no file but each other. */
const BUNDLED_WITH_CONSOLE =
  /^src\/(api\/(?:problem-codes|tag-rule)|options\/(?:input-kinds|labels|lookups)|platform\/allowed-values|chat\/service\/(limits|regions)|features\/correct\/taken-words|membership\/(?:check-words|outcome|outcome-words|plan-words)|text\/(?:distinct-keys|no-answer|pace-words|wording))\.ts$/;
/** The settings. (The launcher in bin runs before anything is loaded.) */
const MAY_READ_ENV: ReadonlySet<string> = new Set(['src/platform/config.ts']);
const MAX_LINES = 400;
/** A file that takes more knows too much of the house. */
const MAX_IMPORTS = 25;
/** A shorter file has a reason: several others need it, or it is loaded alone. */
const FEW_LINES = 15;
const SEVERAL = 2;

/** Specifiers that a file imports or re-exports from, types included, and SQL that it reads. Statements begin a line, as the formatter has it. */
export function importsOf(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/gm);
  const calls = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g);
  const sql = text.matchAll(/\bnew URL\(['"]([^'"]+\.sql)['"]/g);
  return [...statements, ...calls, ...sql].flatMap(([, specifier]) => specifier ?? []);
}

/** Whether only types come from there. */
const isOfTypes = (text: string, specifier: string): boolean =>
  [...text.matchAll(/^(?:import|export) (type )?[^'"`;]*?\bfrom ['"]([^'"]+)['"]/gm)].every(
    ([, type, from]) => from !== specifier || type !== undefined,
  );

/** Every breach of the design's layout in these files, one sentence each. */
export function breaches(files: readonly SourceFile[]): string[] {
  return [
    ...files.flatMap((file) => [...wrongImports(file), ...wrongText(file), ...wrongName(file), ...wrongComments(file)]),
    ...cycles(files),
  ];
}

function wrongImports({ path, text }: SourceFile): string[] {
  return importsOf(text).flatMap((specifier) => {
    if (!specifier.startsWith('.')) return wrongPackage(path, specifier);
    const target = targetOf(path, specifier);
    const reason = wrongWay(path, target, isOfTypes(text, specifier));
    return reason === undefined ? [] : [`${path} imports ${target}: ${reason}`];
  });
}

function wrongPackage(path: string, specifier: string): string[] {
  const owner = [
    { packages: /^bullmq(\/|$)/, home: /^src\/queue\//, says: 'bullmq belongs to src/queue' },
    {
      packages: /^node:sqlite$/,
      home: /^src\/(platform|imports|features|sources)\//,
      says: 'node:sqlite belongs to src/platform, src/imports, src/sources and src/features',
    },
  ].find(({ packages }) => packages.test(specifier));
  return owner === undefined || owner.home.test(path) ? [] : [`${path} imports ${specifier}: ${owner.says}`];
}

function wrongWay(path: string, target: string, isType: boolean): string | undefined {
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === to) return undefined;
  if (!/^(src|jobs)\//.test(target)) return 'the product does not need it to run';
  if (from === 'src/sandbox') {
    return SHARED_WITH_SANDBOX.test(target) ? undefined : 'the sandbox shares the contract and the words only';
  }
  if (from === 'src/console') {
    const isShared =
      (isType && (SHARED_WITH_CONSOLE.has(to) || OPERATIONS.test(target))) || BUNDLED_WITH_CONSOLE.test(target);
    return isShared ? undefined : 'the browser has no such file';
  }
  if (to === 'src/sandbox') {
    return from === 'src/cli' || from === 'src/app' ? undefined : 'only src/app and src/cli start the sandbox';
  }
  const [height, depth] = [heightOf(from), heightOf(to)];
  if (height === undefined || depth === undefined) return 'no layer of the design has this folder';
  return depth < height ? undefined : depth === height ? 'siblings do not know each other' : 'a folder looks down';
}

function heightOf(folder: string): number | undefined {
  const height = LAYERS.findIndex((layer) => layer.includes(folder));
  return height === -1 ? undefined : height;
}

function wrongText({ path, text }: SourceFile): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const imports = text.match(/^import\b[^(;]*['"];$/gm)?.length ?? 0;
  const code = withoutComments(text);
  return [
    ...(imports > MAX_IMPORTS ? [`${path} has ${imports} imports: ${MAX_IMPORTS} is the end`] : []),
    ...(lines > MAX_LINES && !path.endsWith('.sql') ? [`${path} has ${lines} lines: ${MAX_LINES} is the end`] : []),
    ...(/^export \*/m.test(code) ? [`${path} exports *: names are exported one by one`] : []),
    ...(/^export default\b/m.test(code) ? [`${path} exports a default: exports have names`] : []),
    ...(/\bprocess\.env\b|\benv\b[^;\n]*['"]node:process['"]/.test(code) && !MAY_READ_ENV.has(path)
      ? [`${path} reads process.env: src/platform/config.ts does that`]
      : []),
    ...(/\bawait file\.write\(|\bwriteSync\(/.test(code)
      ? [`${path} writes a part: on a full disk, write() may write less than it is given, and appendFile() does not`]
      : []),
    ...serviceWords(path, code),
    ...[...text.matchAll(/(?<!\*\/\n)^export interface (\w+(?:Options|Parts|Ports))\b/gm)].map(
      ([, name]) => `${path} exports ${name} without a comment: say what it is`,
    ),
    ...[...code.matchAll(DESCRIPTION)].map(([, start]) => `${path} describes with "${start} …": say what the thing is`),
    ...(/\bconsole\.\w/.test(code) ? [`${path} uses the console: results go to stdout, the rest to the log`] : []),
  ];
}

/** Constants that are 25 for another reason than the size of a call. */
const OTHER_25: ReadonlySet<string> = new Set(['MAX_HOLD_MS', 'STEP_ON_PHONE', 'SPOT_CHECKS']);

/** It gives the regions their numbers. */
const LEDGER_SCHEMA = 'src/imports/record/import-schema.sql';

/** The service's codes and regions and the size of a call are known to its client and to the sandbox; others ask src/chat/service. */
function serviceWords(path: string, code: string): string[] {
  if (/^src\/(chat|sandbox)\//.test(path)) return [];
  const constants = [...code.matchAll(/(\w+)(?: =|:) 25\b(?!\.)/g)].map(([, name]) => name);
  // Codes of Node are not the service's.
  const [named] = /\b(?:AUTH_)?ERR_(?!WORKER_)[A-Z_]*/.exec(code) ?? [];
  const [region] = /(['"])(?:us|eu)\1/.exec(code) ?? [];
  return [
    ...(region === undefined || path === LEDGER_SCHEMA
      ? []
      : [`${path} names the region ${region}: src/chat/service/regions.ts has them`]),
    ...(named === undefined ? [] : [`${path} names ${named}: src/chat/service/codes.ts has a name for it`]),
    ...(/PER_CALL\s*=\s*\d|[-+*/%] 25\b(?!\.)/.test(code) || constants.some((name) => !OTHER_25.has(name ?? ''))
      ? [`${path} writes how many UIDs a call has: that is MAX_UIDS_PER_CALL`]
      : []),
  ];
}

/** A relative clause or "Of …" in place of a subject or a verb. */
const NO_SUBJECT = /^(?:What|Who|Whom|Whose|Where|Which|Why|How|That|Of|As)\b/;

/** The first word of a text for the reader of an API, of help or of a table, where it is a relative clause. */
const DESCRIPTION =
  /\b(?:description|help|meaning|summary):\s*['"`](what|who|whom|whose|where|which|why|how|of|as)\b/gi;

/** Comments of declarations that begin without a subject or a verb. */
export function wrongComments({ path, text }: SourceFile): string[] {
  const marker = path.endsWith('.sql') ? /^\s*-- ?/ : /^\s*\{?\/\*+ ?/;
  return text.split('\n').flatMap((line, at, lines) => {
    const before = lines[at - 1] ?? '';
    const isFirst = /^\s*\{?\/\*+\s*$/.test(before) ? /^\s*\* / : /^\s*--/.test(before) ? undefined : marker;
    const start = isFirst?.exec(line)?.[0];
    if (start === undefined || !NO_SUBJECT.test(line.slice(start.length))) return [];
    return [`${path}:${at + 1} begins without a subject or a verb: say what the thing is, or what the function does`];
  });
}

/**
 * Short files that belong into another one: fewer than two files import them, they are no thread, and nothing loads them on demand.
 * @param files all of them
 */
export function shreds(files: readonly SourceFile[]): string[] {
  const users = new Map<string, number>();
  for (const { path, text } of files) {
    for (const specifier of importsOf(text)) {
      const target = targetOf(path, specifier);
      const isOnDemand = text.includes(`import('${specifier}')`);
      users.set(target, (users.get(target) ?? 0) + (isOnDemand ? SEVERAL : 1));
    }
  }
  return files.flatMap(({ path, text }) => {
    const isShort = /\.tsx?$/.test(path) && text.split('\n').length <= FEW_LINES;
    const isAlone = path.endsWith('-thread.ts') || (users.get(path) ?? 0) >= SEVERAL;
    return isShort && !isAlone ? [path] : [];
  });
}

function wrongName({ path }: SourceFile): string[] {
  const vague = path.split('/').find((part) => /^(utils?|helpers?|common|types)(\.\w+)?$/.test(part));
  return vague === undefined ? [] : [`${path}: ${vague} says nothing; a shared thing gets a name and a home`];
}

/** Import cycles, each once, beginning with its first file by name. */
function cycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(path, specifier)),
    ]),
  );
  const found = new Set<string>();
  const cleared = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start !== -1) {
      const loop = way.slice(start);
      const first = loop.indexOf(loop.toSorted()[0] ?? path);
      const turned = [...loop.slice(first), ...loop.slice(0, first)];
      found.add(`${[...turned, turned[0]].join(' -> ')}: a cycle`);
      return;
    }
    if (cleared.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...way, path]);
    cleared.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return [...found];
}

const targetOf = (path: string, specifier: string) => normalize(join(dirname(path), specifier));

/** The room of a file: `src/cli` for what lies there at any depth, `src/imports/read` where folders are rooms. */
function folderOf(path: string): string {
  const part = PARTS_OF_FEATURES.find(([pattern]) => pattern.test(path))?.[1];
  if (part !== undefined) return part;
  const [top = '', second = '', third = '', ...rest] = path.split('/');
  if (top !== 'src' || third === '') return top;
  return STOREYS.has(second) && rest.length > 0 ? `src/${second}/${third}` : `src/${second}`;
}

/** Only what is certainly a comment goes: a line that begins as one, or goes on as one. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(\/\/|\/\*|\*|--).*$/gm, '');
}
