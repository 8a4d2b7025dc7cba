import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { badSetting, messageOf } from '../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../membership/membership.ts';
import { allowedValues } from './allowed-values.ts';
import { present, withoutMark } from './given-values.ts';
import { type NamedSource, namedSourcesSchema } from './named-sources.ts';
import { SETTINGS, type SettingDeclaration, type SettingName } from './settings.ts';

const FILE = 'rollcall.config.json';
const PROFILE_NAME = /^[\w.-]{1,64}$/;

const load = createRequire(import.meta.url);

/**
 * Returns the schema of `rollcall.config.json`; editors get it as a JSON Schema. The checker is loaded here, where
 * there is a file: without it a command starts in half the time.
 */
export function configFile() {
  const { z } = load('zod') as typeof import('zod');
  const shapeOf = (nameIn: (name: string, declared: SettingDeclaration) => string | undefined) =>
    Object.fromEntries(
      Object.entries<SettingDeclaration>(SETTINGS).flatMap(([setting, declared]) => {
        const name = nameIn(setting, declared);
        if (name === undefined) return [];
        const { isNumber, meaning, allowed, orFile } = declared;
        const isList = typeof allowed !== 'string';
        const description = `${meaning} (${isList ? allowed.join(', ') : allowed})`;
        const value = (isNumber ? z.number() : z.string())
          .optional()
          .meta({ description, ...(isList && { enum: [...allowed] }) });
        const file = z.string().optional().describe(`A file that contains ${name}.`);
        return [[name, value] as const, ...(orFile ? [[`${name}File`, file] as const] : [])];
      }),
    );
  const own: Readonly<Record<string, z.ZodType>> = {
    ...shapeOf((name, { only }) => (only === undefined ? name : undefined)),
    sources: z.union([z.string().describe(SETTINGS.sources.meaning), namedSourcesSchema()]).optional(),
    apps: z
      .partialRecord(z.enum(REGIONS), z.strictObject(shapeOf((_, { perRegion }) => perRegion)))
      .optional()
      .describe('The app of each region, with its key.'),
  };
  return z.strictObject({
    $schema: z.string().optional().describe('Address of this schema, for editors.'),
    ...own,
    profiles: z
      .record(
        z.string().regex(PROFILE_NAME),
        z.strictObject(Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'profile'))),
      )
      .optional()
      .describe('Settings of each environment by its name: they count before the others when it is chosen.'),
  });
}
export type SettingsOfFile = Readonly<Partial<Record<Exclude<SettingName, 'sources'>, string | number>>> & {
  readonly apps?: Readonly<Partial<Record<Region, Readonly<Partial<Record<string, string>>>>>> | undefined;
  readonly sources?: string | Readonly<Record<string, NamedSource>>;
};
type ConfigFile = SettingsOfFile & { readonly profiles?: Readonly<Record<string, SettingsOfFile>> };

/**
 * The settings of one of the file's profiles, and those of the whole file, over which they take precedence. Apps of one environment are
 * not mixed with another's.
 * @throws BAD_SETTING
 */
export function withProfile(whole: ConfigFile, name: string, path: string) {
  const {
    profiles = {},
    appId,
    apiKey,
    apiKeyFile,
    apps,
    ...others
  } = whole as ConfigFile & { readonly apiKeyFile?: string };
  const chosen = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (chosen === undefined) {
    const names = Object.keys(profiles);
    throw badSetting(
      `there is no profile ${JSON.stringify(name)}`,
      names.length === 0
        ? `${path} has no \`profiles\`: add it there, or choose none`
        : `${path} has ${names.join(', ')}`,
    );
  }
  const hasApp = chosen.appId !== undefined || chosen.apps !== undefined;
  const file = { ...(!hasApp && { appId, apiKey, apiKeyFile, apps }), ...others, ...chosen } as SettingsOfFile;
  return { chosen, file };
}

/** @throws BAD_SETTING */
export function readConfigFile(
  named: string | undefined,
  folder: string,
): { readonly path: string; readonly file: ConfigFile } {
  const given = present(named);
  const path = resolve(folder, given ?? FILE);
  let text: string;
  try {
    text = withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    if (given === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return { path, file: {} };
    const names = given === undefined ? '' : 'ROLLCALL_CONFIG names ';
    throw badSetting(`${names}${path}, which cannot be read: ${messageOf(error)}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's message would quote the file, and with it perhaps a key.
    throw badSetting(`${path} is not JSON; fix or remove it`);
  }
  const allowed = configFile();
  const read = allowed.safeParse(json);
  if (read.success) return { path, file: read.data as ConfigFile };
  const problems = read.error.issues.flatMap(inside).map(({ path: at, message }) => {
    const declared = settingAt(at);
    return `${placed(json, at)}: ${message}${declared === undefined ? '' : `; allowed ${allowedValues(declared)}`}`;
  });
  const keys = read.error.issues.some(({ code }) => code === 'unrecognized_keys');
  throw badSetting(
    `${path} cannot be used: ${problems.join('; ')}${keys ? `; allowed are ${Object.keys(allowed.shape).join(', ')}` : ''}`,
  );
}

/** Returns the issues of the last alternative of a union. */
function inside(issue: z.core.$ZodIssue) {
  if (issue.code !== 'invalid_union') return [issue];
  return (issue.errors.at(-1) ?? []).map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
}

function settingAt(at: readonly PropertyKey[]): SettingDeclaration | undefined {
  return SETTINGS[String(at.at(-1)) as SettingName];
}

/** A place in the file with its value, unless that may be a key. */
function placed(json: unknown, at: readonly PropertyKey[]) {
  const name = at.join('.');
  if (name === '') return 'top level';
  // A password may be given where only its place is allowed.
  if (at[0] === 'sources') return name;
  if (settingAt(at)?.secret) return name;
  const value = at.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], json);
  return typeof value === 'object' && value !== null ? name : `${name} is ${JSON.stringify(value)}`;
}
