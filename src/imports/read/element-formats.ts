import type { Bounds } from './bounds.ts';
import type { InputFormat, InputKind } from './detect.ts';

/** Readers of elements are loaded on demand: most inputs are CSV, and each is read by its own thread. */

export async function elementRows(format: InputFormat) {
  return format === 'json' ? (await import('./json.ts')).jsonRows : (await import('./ndjson.ts')).ndjsonRows;
}

/** Converts another format to JSON or NDJSON. */
export async function asJson(
  blocks: AsyncIterable<Buffer>,
  kind: InputKind,
  bounds: Bounds,
): Promise<AsyncIterable<Buffer>> {
  if (kind === 'yaml') return (await import('./yaml.ts')).yamlAsJson(blocks, bounds);
  return kind === 'ldif' ? (await import('./ldif.ts')).ldifAsNdjson(blocks, bounds) : blocks;
}
