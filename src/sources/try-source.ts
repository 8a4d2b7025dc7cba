import { RollcallError } from '../errors/rollcall-error.ts';
import { addressName } from '../text/address-text.ts';
import { counted, grouped } from '../text/wording.ts';
import { requestOf, type SourceContext } from './named.ts';
import { sourceAt } from './schemes.ts';
import type { Source } from './source.ts';

const TRY_MS = 20_000;
/** A server that answers like this can be reached: the address of a source may be only the beginning of a file's. */
const ANSWERED = /answered \d{3}/;

/** Lists what is in each named source, or reads its beginning. Nothing is kept of it. */
export function trySources(names: readonly string[], context: SourceContext, stop: AbortSignal) {
  return Promise.all(names.map((name) => trySource(name, context, stop)));
}

async function trySource(name: string, context: SourceContext, stop: AbortSignal) {
  const address = addressName(context.named[name]?.url ?? '');
  const late = AbortSignal.timeout(TRY_MS);
  try {
    const detail = await found(name, context, AbortSignal.any([stop, late]));
    return { name, address, ok: true, detail };
  } catch (error) {
    stop.throwIfAborted();
    if (late.aborted) return { name, address, ok: false, detail: `it gives nothing within ${TRY_MS / 1000} s` };
    if (!(error instanceof RollcallError)) throw error;
    const { what, remedy } = error;
    if (/^https?:/i.test(address) && ANSWERED.test(what)) {
      return { name, address, ok: true, detail: `${what}: it can be reached, and nothing is at this very address` };
    }
    return { name, address, ok: false, detail: what, ...(remedy !== undefined && { remedy }) };
  }
}

/** Reads the beginning of what is at the address; of a folder, lists it and reads the beginning of its newest file. */
async function found(name: string, context: SourceContext, signal: AbortSignal) {
  const at = (place: string) => sourceAt(requestOf(`${name}:${place}`, {}, context));
  const listed = async (place: string) => (await at(place)).list?.(signal);
  const [reading] = await Promise.allSettled([at('').then((source) => firstOf(source, signal))]);
  const [listing] = await Promise.allSettled([listed(reading.status === 'fulfilled' ? '' : '/')]);
  for (const { reason } of [reading, listing].filter((one) => one.status === 'rejected')) {
    if (!(reason instanceof RollcallError)) throw reason;
  }
  if (reading.status === 'fulfilled') {
    if (listing.status === 'fulfilled') return reading.value;
    return `${reading.value}; its folder cannot be listed: ${listing.reason.what}`;
  }
  // The error of the place itself tells more than that of its address as a file.
  if (listing.status === 'rejected') throw reading.reason.cause === undefined ? listing.reason : reading.reason;
  if (listing.value === undefined) throw reading.reason;
  const files = listing.value.filter(({ kind }) => kind === 'file').toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  const [newest] = files;
  const many = `${counted(files.length, 'file')} in its folder`;
  if (newest === undefined) return many;
  await firstOf(await at(`/${newest.name}`), signal);
  return `${many}; the newest, ${newest.name}, can be read`;
}

async function firstOf(source: Source, signal: AbortSignal) {
  const { content, close } = await source.open(signal);
  try {
    if (content === undefined) return 'it can be read';
    if (content.kind === 'bytes') {
      for await (const _ of content.pieces) break;
      return content.size === undefined ? 'its file can be read' : `its file has ${grouped(content.size)} bytes`;
    }
    let rows = 0;
    for await (const piece of content.pieces) {
      rows = piece.length;
      break;
    }
    return `${rows === 0 ? 'no rows' : 'its rows can be read'}, with the columns ${content.columns.join(', ')}`;
  } finally {
    await close();
  }
}
