import type { InputFormat, InputKind } from '../../options/input-kinds.ts';
import type { Bounds } from './intake-error.ts';

/** Readers of elements are loaded on demand: most inputs are CSV, and each is read by its own thread. */

export async function elementRows(format: InputFormat) {
  return format === 'json' ? (await import('./json.ts')).jsonRows : (await import('./ndjson.ts')).ndjsonRows;
}

/** Blank lines and comments of YAML and LDIF. */
const COMMENTS = /^(?:[ \t\r]*(?:#[^\n]*)?\n)+/;
/** The name of the first entry of LDIF, below its version. */
const LDIF_VERSION = /^version:[ \t]*\d+[ \t\r]*\n/i;
const LDIF = /^dn::?[ \t]*[^\s[{&!]/i;

/** Anchors, and types, that may stand before any value of YAML. */
const PROPERTIES = String.raw`(?:[&!]\S*[ \t]+)*`;
const KEY = String.raw`(?:"[^"\n]*"|'[^'\n]*'|[\w.-][\w .-]*|<<):`;
/** In flow style a list or object of YAML stands behind a dash or a key, or has a key without quotes, which JSON does not allow. */
const YAML_FLOW = new RegExp(`^(?:(?:-|${KEY})[ \\t]+${PROPERTIES}[[{]|(?:[[{]\\s*)+[A-Za-z_][\\w .-]*:[ \\t\\r\\n])`);
/** A YAML document begins as one, or with a list of keys. */
const YAML_START = new RegExp(`^(?:%YAML|---[ \\t]*$|-[ \\t]+(?:${PROPERTIES}${KEY}(?:[ \\t]|$)|[&!]\\S*$))`);
/** Or with a key that has its value below it. */
const YAML_KEY_ALONE = new RegExp(`^${KEY}[ \\t]*(?:[&!]\\S*[ \\t]*)*(?:#.*)?$`);
const YAML_BELOW_KEY = new RegExp(`^(?:[ \\t]*-(?:[ \\t]|$)|[ \\t]+(?:${PROPERTIES}${KEY}(?:[ \\t]|$)|[\\w .-]+$))`);
/** Or with a key beside its value, where all lines are such as YAML has. */
const YAML_KEY = new RegExp(`^${KEY}[ \\t]+\\S`);
const YAML_LINE = new RegExp(`^(?:${KEY}(?:[ \\t]|$)|-(?:[ \\t]|$)|[ \\t]+\\S|[\\]}],?$|---|\\.\\.\\.)`);

/** A kind of text that is read as JSON or NDJSON of the same content. */
interface Converted {
  /** Whether a text begins as one: with its first character that is not blank, and perhaps cut at its end. */
  readonly isAt: (start: string) => boolean;
  readonly read: (blocks: AsyncIterable<Buffer>, bounds: Bounds) => Promise<AsyncIterable<Buffer>>;
}

/** The first that recognises a text reads it. */
const CONVERTED: Readonly<Partial<Record<InputKind, Converted>>> = {
  ldif: {
    isAt: (start) => LDIF.test(start.replace(COMMENTS, '').replace(LDIF_VERSION, '').replace(COMMENTS, '')),
    read: async (blocks, bounds) => (await import('./ldif.ts')).ldifAsNdjson(blocks, bounds),
  },
  yaml: {
    isAt: isYaml,
    read: async (blocks, bounds) => (await import('./yaml.ts')).yamlAsJson(blocks, bounds),
  },
};

/** The kind of a text that is not JSON, NDJSON or CSV; undefined if it is one of these. */
export function convertedKind(start: string): InputKind | undefined {
  return (Object.keys(CONVERTED) as InputKind[]).find((kind) => CONVERTED[kind]?.isAt(start));
}

export async function asJson(
  blocks: AsyncIterable<Buffer>,
  kind: InputKind,
  bounds: Bounds,
): Promise<AsyncIterable<Buffer>> {
  return CONVERTED[kind]?.read(blocks, bounds) ?? blocks;
}

function isYaml(start: string) {
  const text = start.replace(COMMENTS, '');
  if (YAML_FLOW.test(text)) return true;
  const lines = text.split(/\r?\n/).filter((line) => !/^[ \t]*(?:#|$)/.test(line));
  // The text after the last line break may be incomplete.
  if (lines.length > 2 && !text.endsWith('\n')) lines.pop();
  const [first = '', ...below] = lines;
  if (YAML_START.test(first)) return true;
  if (YAML_KEY_ALONE.test(first)) return YAML_BELOW_KEY.test(below[0] ?? '');
  return YAML_KEY.test(first) && below.length > 0 && below.every((line) => YAML_LINE.test(line));
}
