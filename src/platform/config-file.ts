import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { messageOf } from '../errors/message-of.ts';
import { badSetting, RollcallError } from '../errors/rollcall-error.ts';
import { REGIONS, type Region } from '../membership/membership.ts';
import { allowedValues } from './allowed-values.ts';
import { type NamedSource, namedSourcesSchema } from './named-sources.ts';
import { SETTINGS, type SettingDeclaration, type SettingName, settingsOfApps, settingsOfFile } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value, and where it was given, as messages name it. */
export interface Setting {
  readonly name: string;
  readonly value: string;
}

/** A variable that is set to nothing counts as not set. */
export function present(value: string | undefined) {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

/** Windows begins a text with a byte order mark. */
export function withoutMark(text: string) {
  return text.replace(/^\uFEFF/, '');
}

/** The text of a file that a setting names. @throws BAD_SETTING */
export function readNamed(name: string, path: string) {
  try {
    return withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new RollcallError('BAD_SETTING', { name, path, why: messageOf(error) });
  }
}

type Named = readonly [name: string, value: string | undefined];

/**
 * A value as it is set, or out of the file that is set instead, which is read when the value is asked for: a command that
 * needs no key runs without its file. Undefined where neither is.
 * @throws BAD_SETTING
 */
export function valueOrFile([name, value]: Named, [fileName, path]: Named, folder: string): Setting | undefined {
  if (path === undefined) return value === undefined ? undefined : { name, value };
  if (value !== undefined) throw badSetting(`${name} and ${fileName} are both set: keep one`);
  return {
    name: fileName,
    get value() {
      const text = present(readNamed(fileName, resolve(folder, path)));
      if (text !== undefined) return text;
      throw badSetting(`${fileName} names ${path}, which is empty: put the value into it`);
    },
  };
}

/** `rollcall.config.json`: what it may hold, and the settings of one of its profiles. */

const FILE = 'rollcall.config.json';
/** Valid names of a profile. */
const PROFILE_NAME = /^[\w.-]{1,64}$/;

const load = createRequire(import.meta.url);

/**
 * Returns the schema of `rollcall.config.json`; editors get it as a JSON Schema. The checker is loaded here, where
 * there is a file: without it a command starts in half the time.
 */
export function configFile() {
  const { z } = load('zod') as typeof import('zod');
  const settingOf = ({ number, meaning, allowed }: SettingDeclaration) =>
    (number ? z.number() : z.string()).optional().meta({
      description: `${meaning} (${typeof allowed === 'string' ? allowed : allowed.join(', ')})`,
      ...(typeof allowed !== 'string' && { enum: [...allowed] }),
    });
  const shapeOf = (settings: readonly (readonly [string, SettingDeclaration])[]) =>
    Object.fromEntries(
      settings.flatMap(([name, declared]) => {
        const itself = [name, settingOf(declared)] as const;
        const description = `A file that contains ${name}.`;
        return declared.orFile
          ? [itself, [`${name}File`, z.string().optional().describe(description)] as const]
          : [itself];
      }),
    );
  const own: Readonly<Record<string, z.ZodType>> = {
    ...shapeOf(settingsOfFile()),
    sources: z.union([z.string().describe(SETTINGS.sources.meaning), namedSourcesSchema()]).optional(),
    apps: z
      .partialRecord(z.enum(REGIONS), z.strictObject(shapeOf(settingsOfApps())))
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

export function asText(value: unknown) {
  return typeof value === 'string' || typeof value === 'number' ? present(String(value)) : undefined;
}

/** The settings of a file with those of one of its profiles in front. Apps of one environment are not mixed with another's. @throws BAD_SETTING */
export function withProfile(file: ConfigFile, name: string, path: string): SettingsOfFile {
  const {
    profiles = {},
    appId,
    apiKey,
    apiKeyFile,
    apps,
    ...others
  } = file as ConfigFile & { readonly apiKeyFile?: string };
  if (!Object.hasOwn(profiles, name)) {
    const names = Object.keys(profiles);
    throw badSetting(
      `there is no profile ${JSON.stringify(name)}`,
      names.length === 0
        ? `${path} has no \`profiles\`: add it there, or choose none`
        : `${path} has ${names.join(', ')}`,
    );
  }
  const chosen = profiles[name] ?? {};
  const hasApp = chosen.appId !== undefined || chosen.apps !== undefined;
  return { ...(!hasApp && { appId, apiKey, apiKeyFile, apps }), ...others, ...chosen } as SettingsOfFile;
}

/** @throws BAD_SETTING */
export function readConfigFile(
  named: string | undefined,
  folder: string,
): { readonly path: string; readonly file: ConfigFile } {
  const isNamed = present(named) !== undefined;
  const path = resolve(folder, present(named) ?? FILE);
  let text: string;
  try {
    text = withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!isNamed && error instanceof Error && 'code' in error && error.code === 'ENOENT') return { path, file: {} };
    const why = messageOf(error);
    throw badSetting(`${isNamed ? 'ROLLCALL_CONFIG names ' : ''}${path}, which cannot be read: ${why}`);
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
