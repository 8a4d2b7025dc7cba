import { Readable } from 'node:stream';
import { type FileFacts, type Preview, type PreviewRow, ROWS_SHOWN } from '../../api/look.ts';
import { asParameter } from '../../errors/named-options.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { headOf, lookAt, unpacked } from '../../imports/read/beginning.ts';
import { isZip } from '../../imports/read/decompress.ts';
import type { InputRow } from '../../imports/read/input-row.ts';
import { originalJson } from '../../imports/report/report-table.ts';
import type { InputFormat } from '../../options/input-kinds.ts';
import { serve } from '../../platform/threads.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { inspect, missingFields } from './inspect.ts';

/** A file of this size or larger that does not end with a whole line counts as the beginning of a longer one. */
const BEGINNING_BYTES = 64 * 1024;
/** Bytes of a gzipped beginning that are unpacked: they contain twenty rows, and no more are shown. */
const UNPACKED_BYTES = 1024 * 1024;
/** Characters that the shown rows may have in total; one is always shown. */
const MAX_OF_ROWS = 1024 * 1024;

export interface PreviewRequest {
  /** The first bytes of a file. */
  readonly head: Uint8Array;
  /** The file's name for messages. */
  readonly name: string;
  readonly options: ImportOptions;
}

/** Previews the beginning of a file. @throws IntakeError when it cannot be read */
async function preview({ head, name, options }: PreviewRequest): Promise<Preview> {
  const { open, isCut } = await opened({ head, name, options });
  const look = await lookAt(open(), { ...options, lenient: true }, ROWS_SHOWN + 1);
  const { format, kind, encoding, delimiter, recognised, names, refusal } = look;
  // If the beginning of a file is cut off, the error may come from the cut: the rows before it are shown.
  if (format === undefined || kind === undefined || look.rows.length === 0) throw refusal;
  const rows = look.rows.slice(0, ROWS_SHOWN);
  const shown = viewsOf(rows, names, format);
  return {
    format,
    kind,
    notes: [...look.notes],
    encoding: encoding ?? '',
    delimiter: delimiter ?? null,
    columns: [...names],
    recognised,
    missing: missingFields(recognised, options),
    rows: shown,
    truncated: refusal !== undefined || look.rows.length > ROWS_SHOWN || isCut || shown.length < rows.length,
  };
}

async function opened({ head, name, options }: PreviewRequest) {
  const { bytes, isCut } = await unpacked(Buffer.from(head), UNPACKED_BYTES);
  // Archives and workbooks are read at random places, and were uploaded whole.
  const isWhole = isZip(bytes);
  const open = () => (isWhole ? { bytes, name } : { stream: Readable.from([beginning(bytes, options, isCut)]), name });
  return { open, isCut, isWhole };
}

/** A long CSV text ends somewhere in a row: that row is not shown. */
function beginning(head: Buffer, { format }: ImportOptions, isCut: boolean) {
  const first = head.subarray(0, 1).toString();
  const isText = format === 'csv' || (format === 'auto' && first !== '[' && first !== '{');
  const end = head.lastIndexOf('\n') + 1;
  return isText && (isCut || head.length >= BEGINNING_BYTES) && end > 0 ? head.subarray(0, end) : head;
}

function viewsOf(rows: readonly InputRow[], columns: readonly string[], format: InputFormat) {
  const originalOf = originalJson({ columns, format, delimiter: ',' });
  const views: PreviewRow[] = [];
  let length = 0;
  let whole = '';
  for (const { onBehalfOf: _, action: __, until: ___, original, problems, shaped, ...row } of rows) {
    // Only the first membership of a row has its text.
    if (original !== '') whole = original;
    const text = originalOf({ original: whole, line: row.line });
    length += text.length;
    if (views.length > 0 && length > MAX_OF_ROWS) break;
    views.push({
      ...row,
      ...(shaped !== undefined && { value: shaped.value, skipped: shaped.skipped === true }),
      problems: [...problems],
      original: JSON.parse(text) as Readonly<Record<string, unknown>>,
    });
  }
  return views;
}

interface InspectRequest extends PreviewRequest {
  readonly recipes: readonly Recipe[];
}

/** Returns the facts about a file, as far as its beginning shows them. */
async function inspectHead({ recipes, ...request }: InspectRequest): Promise<FileFacts> {
  const { name, options } = request;
  const { open, isCut, isWhole } = await opened(request);
  const given = Buffer.from(request.head);
  return inspect({
    name,
    head: await headOf(given, options.encoding),
    isCut: !isWhole && (isCut || given.length >= BEGINNING_BYTES),
    open,
    options,
    recipes,
    write: asParameter,
  });
}

/** The thread that looks at the beginnings of files. */
export type InspectThread = { preview: typeof preview; inspect: typeof inspectHead };

serve<InspectThread>({ preview, inspect: inspectHead });
