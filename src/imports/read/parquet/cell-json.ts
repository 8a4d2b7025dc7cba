import { isUtf8 } from 'node:buffer';
import { isListLike, isMapLike } from 'hyparquet/src/schema.js';
import type { ParquetParsers, SchemaElement, SchemaTree } from 'hyparquet/src/types.js';

/** A value as JSON. Each single value in it is a text, so that none loses digits. */
export type CellJson = (value: unknown) => string;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Texts become JSON at once, so that those of a dictionary are made once. All others stay as they are in the file. */
export const RAW_PARSERS: ParquetParsers = {
  stringFromBytes: (bytes) => JSON.stringify(UTF8.decode(bytes)),
  jsonFromBytes: same,
  timestampFromMilliseconds: same,
  timestampFromMicroseconds: same,
  timestampFromNanoseconds: same,
  dateFromDays: same,
  geometryFromBytes: same,
  geographyFromBytes: same,
  uuidFromBytes: same,
};

function same<Value>(value: Value): Value {
  return value;
}

/**
 * Returns the function that converts values of a column, or of a part of a structured one, into JSON. It removes from
 * the schema what would make hyparquet convert them, which loses digits: call it before anything is read.
 */
export function cellJson(node: SchemaTree, isRepeated = node.element.repetition_type === 'REPEATED'): CellJson {
  const one = singleJson(node);
  const json: CellJson = (value) => (value === null || value === undefined ? 'null' : one(value));
  return isRepeated ? listJson(json) : json;
}

function singleJson(node: SchemaTree): CellJson {
  const { element, children } = node;
  const [inner] = children;
  if (inner === undefined) {
    const toText = textOfLeaf(element);
    return (value) => (typeof value === 'string' ? value : JSON.stringify(toText(value)));
  }
  const logical = element.logical_type?.type;
  if (logical === 'VARIANT') return anyJson;
  // Newer writers may say it in the newer way only; hyparquet asks for the older one.
  if (logical === 'LIST' || logical === 'MAP') element.converted_type ??= logical;
  if (isListLike(node)) {
    const [item] = inner.children;
    return listJson(item !== undefined && inner.children.length === 1 ? cellJson(item) : cellJson(inner, false));
  }
  const [key, entry] = inner.children;
  if (isMapLike(node) && key !== undefined && entry !== undefined) {
    cellJson(key);
    const json = cellJson(entry);
    return (value) => objectJson(value, keyJson, () => json);
  }
  const parts = new Map(children.map((child) => [child.element.name, cellJson(child)]));
  return (value) => objectJson(value, JSON.stringify, (name) => parts.get(name) ?? anyJson);
}

function listJson(item: CellJson): CellJson {
  return (value) => (Array.isArray(value) ? `[${value.map((one) => item(one)).join(',')}]` : item(value));
}

function objectJson(value: unknown, nameJson: (name: string) => string, jsonOf: (name: string) => CellJson): string {
  const entries = Object.entries(value as object);
  return `{${entries.map(([name, part]) => `${nameJson(name)}:${jsonOf(name)(part)}`).join(',')}}`;
}

/** Keys of maps that are texts are JSON already. */
function keyJson(key: string): string {
  return key.startsWith('"') ? key : JSON.stringify(key);
}

function anyJson(value: unknown): string {
  const exact = (_: string, part: unknown) => (typeof part === 'bigint' ? String(part) : part);
  return JSON.stringify(value, exact) ?? 'null';
}

/** In a second. */
const UNITS = { MILLIS: 1_000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n };

function textOfLeaf(element: SchemaElement): (value: unknown) => string {
  const { type, converted_type: converted, logical_type: logical } = element;
  const kind = logical?.type ?? converted;
  if (kind === 'INTEGER' || kind === 'FLOAT16' || converted?.startsWith('UINT_')) return String;
  delete element.logical_type;
  delete element.converted_type;
  if (kind === 'STRING' || kind === 'UTF8' || kind === 'ENUM' || kind === 'JSON') {
    element.converted_type = 'UTF8';
    return String;
  }
  if (kind === 'DECIMAL') {
    const scale = (logical?.type === 'DECIMAL' ? logical.scale : element.scale) ?? 0;
    return (value) => decimalText(value, scale);
  }
  if (kind === 'DATE')
    return (value) => timestampText(BigInt(value as number) * 86_400n, 1n).slice(0, -'T00:00:00'.length);
  const unit =
    UNITS[logical && 'unit' in logical ? logical.unit : converted?.endsWith('_MICROS') ? 'MICROS' : 'MILLIS'];
  if (kind === 'TIMESTAMP' || kind?.startsWith('TIMESTAMP_')) {
    const isLocal = logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC;
    return (value) => timestampText(value as bigint, unit) + (isLocal ? '' : 'Z');
  }
  // A time counts from the first day of the epoch.
  if (kind?.startsWith('TIME'))
    return (value) => timestampText(BigInt(value as bigint), unit).slice('1970-01-01T'.length);
  // Without a zone: the writers of this old type did not agree on one.
  if (type === 'INT96') return (value) => timestampText(value as bigint, UNITS.NANOS);
  if (kind === 'UUID') return uuidText;
  if (type === 'FLOAT') return (value) => floatText(value as number);
  if (type === 'FIXED_LEN_BYTE_ARRAY') return (value) => `\\x${hex(value as Uint8Array)}`;
  return (value) => (value instanceof Uint8Array ? bytesText(value) : String(value));
}

/** Digits that a decimal may have behind its point; the largest type of the usual writers has 76 in all. */
const MAX_SCALE = 1_000;

function decimalText(value: unknown, scale: number): string {
  if (scale < 0 || scale > MAX_SCALE) throw new RangeError(`decimals with ${scale} digits behind the point`);
  const unscaled = value instanceof Uint8Array ? signedInteger(value) : BigInt(value as bigint);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${unscaled < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

function signedInteger(bytes: Uint8Array): bigint {
  if (bytes.length > MAX_SCALE) throw new RangeError(`a decimal of ${bytes.length} bytes`);
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`));
}

/** ISO 8601 with as many digits as the fraction of the second has; of a time that no calendar has, the number. */
function timestampText(value: bigint, unit: bigint): string {
  const fraction = ((value % unit) + unit) % unit;
  const date = new Date(Number((value - fraction) / unit) * 1000);
  if (Number.isNaN(date.getTime())) return String(value);
  const seconds = date.toISOString().replace('.000Z', '');
  if (fraction === 0n) return seconds;
  const digits = String(fraction).padStart(String(unit).length - 1, '0');
  return `${seconds}.${digits.replace(/0+$/, '')}`;
}

function uuidText(value: unknown): string {
  return hex(value as Uint8Array).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The shortest number that is the same in 32 bits. */
function floatText(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(value);
}

/** Old writers do not say that bytes are a text. Other bytes are written as Postgres writes them. */
function bytesText(bytes: Uint8Array): string {
  return isUtf8(bytes) ? UTF8.decode(bytes) : `\\x${hex(bytes)}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
