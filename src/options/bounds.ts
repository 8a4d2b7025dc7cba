export const KIB = 1024;
export const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Default of the largest upload, and of the largest file behind an address: in bytes. */
export const DEFAULT_MAX_FILE = 2 * GIB;

/**
 * Limits on the resources that one input may use. Each bound has a default, and a maximum to which `--bound name=value`
 * raises it. Bytes are those of the text in UTF-8, unpacked.
 */
export const BOUNDS = {
  columns: {
    default: 1_000,
    most: 16_384,
    unit: 'columns',
    meaning: 'columns of the file: the header and what longer rows add; of JSON and NDJSON, different keys',
  },
  row: {
    default: MIB,
    most: 16 * MIB,
    unit: 'bytes',
    meaning: 'a row of a CSV file or sheet, and so each of its cells',
  },
  element: {
    default: 16 * MIB,
    most: 256 * MIB,
    unit: 'bytes',
    meaning: 'an element of a JSON file, a line of an NDJSON file, or a whole YAML file',
  },
  memberships: {
    default: 100_000,
    most: 10_000_000,
    unit: 'memberships',
    meaning: 'memberships that one row gives when it is shaped: groups times users',
  },
  unpacked: {
    default: 20 * GIB,
    most: 1024 * GIB,
    unit: 'bytes',
    meaning: 'a compressed file, archive or workbook when it is unpacked',
  },
  expansion: {
    default: 200,
    most: 2_000,
    unit: 'times',
    meaning: 'maximum ratio of the unpacked size to the size of the file; the first 16 MB are free',
  },
  report: {
    default: 100,
    most: 100_000,
    unit: 'times',
    meaning: 'maximum ratio of the size of a report to the size of the file; the first 256 MB are free',
  },
} as const satisfies Record<string, { default: number; most: number; unit: Unit; meaning: string }>;

type Unit = 'columns' | 'bytes' | 'times' | 'memberships';

export type BoundName = keyof typeof BOUNDS;
export const BOUND_NAMES = Object.keys(BOUNDS) as readonly BoundName[];

const SIZES: readonly (readonly [suffix: string, bytes: number])[] = [
  ['tb', 1024 * GIB],
  ['gb', GIB],
  ['mb', MIB],
  ['kb', KIB],
];

/** A bound as people write it: `20gb`, `1000`. */
export function boundText(name: BoundName, value: number) {
  if (BOUNDS[name].unit !== 'bytes') return String(value);
  const [suffix, bytes] = SIZES.find(([, size]) => value % size === 0) ?? ['', 1];
  return `${value / bytes}${suffix}`;
}

/** `500mb` in bytes. */
export function byteSize(text: string) {
  const [, count, unit = ''] = /^(\d{1,9})(b|kb|mb|gb|tb)?$/i.exec(text.trim()) ?? [];
  const bytes = Number(count) * (SIZES.find(([suffix]) => suffix === unit.toLowerCase())?.[1] ?? 1);
  return bytes > 0 ? bytes : undefined;
}
