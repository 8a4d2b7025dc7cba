import type { InputFormat, InputKind } from '../../options/input-kinds.ts';
import type { Bounds } from './bounds.ts';

/** Readers of elements are loaded on demand: most inputs are CSV, and each is read by its own thread. */

export async function elementRows(format: InputFormat) {
  return format === 'json' ? (await import('./json.ts')).jsonRows : (await import('./ndjson.ts')).ndjsonRows;
}

type Converter = (blocks: AsyncIterable<Buffer>, bounds: Bounds) => Promise<AsyncIterable<Buffer>>;

/** Kinds that are read as JSON or NDJSON of the same content. */
const CONVERTERS: Readonly<Partial<Record<InputKind, Converter>>> = {
  yaml: async (blocks, bounds) => (await import('./yaml.ts')).yamlAsJson(blocks, bounds),
  ldif: async (blocks, bounds) => (await import('./ldif.ts')).ldifAsNdjson(blocks, bounds),
};

/** Converts another format to JSON or NDJSON. */
export async function asJson(
  blocks: AsyncIterable<Buffer>,
  kind: InputKind,
  bounds: Bounds,
): Promise<AsyncIterable<Buffer>> {
  return CONVERTERS[kind]?.(blocks, bounds) ?? blocks;
}
