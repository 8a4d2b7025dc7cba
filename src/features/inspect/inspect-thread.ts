import { type FileLook, type PreviewRow, ROWS_SHOWN } from '../../api/look.ts';
import { asParameter } from '../../errors/named-options.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { headOf, lookAt, unpacked } from '../../imports/read/beginning.ts';
import { isZip } from '../../imports/read/decompress.ts';
import type { InputRow } from '../../imports/read/input-row.ts';
import type { IntakeError } from '../../imports/read/intake-error.ts';
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
  readonly head: Uint8Array;
  readonly name: string;
  readonly options: ImportOptions;
}

interface LookRequest extends PreviewRequest {
  /** The options for its rows, where a recipe does not settle others; undefined: they are not read. */
  readonly rowOptions: ImportOptions | undefined;
  readonly recipes: readonly Recipe[];
}

interface Looked extends Pick<FileLook, 'facts' | 'preview'> {
  readonly refusal?: Pick<IntakeError, 'code' | 'what' | 'facts'> | undefined;
}

async function look({ head, name, options, rowOptions, recipes }: LookRequest): Promise<Looked> {
  const given = Buffer.from(head);
  const { bytes, isCut } = await unpacked(given, UNPACKED_BYTES);
  // Archives and workbooks are read at random places, and were uploaded whole.
  const isWhole = isZip(bytes);
  const sourceFor = (chosen: ImportOptions) => ({ bytes: isWhole ? bytes : beginning(bytes, chosen, isCut), name });
  // The facts are a help that nothing depends on.
  const facts = await inspect({
    name,
    head: await headOf(given, options.encoding),
    isCut: !isWhole && (isCut || given.length >= BEGINNING_BYTES),
    open: () => sourceFor(options),
    options,
    recipes,
    write: asParameter,
  }).catch(() => null);
  if (rowOptions === undefined) return { facts, preview: null };
  const seen = await lookAt(sourceFor(rowOptions), { ...rowOptions, lenient: true }, ROWS_SHOWN + 1);
  const { format, kind, encoding = '', delimiter = null, notes, recognised, names, refusal } = seen;
  // If the beginning of a file is cut off, the error may come from the cut: the rows before it are shown.
  if (format === undefined || kind === undefined || seen.rows.length === 0) {
    return {
      facts,
      preview: null,
      refusal: refusal && { code: refusal.code, what: refusal.what, facts: refusal.facts },
    };
  }
  const rows = viewsOf(seen.rows.slice(0, ROWS_SHOWN), names, format);
  const preview = {
    format,
    kind,
    notes: [...notes],
    encoding,
    delimiter,
    columns: [...names],
    recognised,
    missing: missingFields(recognised, rowOptions),
    rows,
    truncated: refusal !== undefined || isCut || rows.length < seen.rows.length,
  };
  return { facts, preview };
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

export type InspectThread = { look: typeof look };

serve<InspectThread>({ look });
