import { messageOf } from '../../errors/rollcall-error.ts';
import { boundText } from '../../options/bounds.ts';
import { inOnePiece } from './byte-source.ts';
import { type Bounds, intakeError, isIntakeError, MAX_DEPTH, orRaise, shown, TOO_DEEP } from './intake-error.ts';

/** Nodes that aliases may repeat: a few lines could name a billion. */
const MAX_ALIASES = 100;

/**
 * A YAML text in UTF-8 as JSON text: its document, or an array of several. Numbers stay as they are written, so that `007`
 * remains an id. The whole text is held in memory: the bound `element` limits it. Throws YAML_BROKEN, TOO_LARGE.
 */
export async function* yamlAsJson(blocks: AsyncIterable<Buffer>, bounds: Bounds): AsyncGenerator<Buffer> {
  const text = (await inOnePiece(blocks, bounds.element, () => tooLarge(bounds))).toString();
  const yaml = await import('yaml');
  const documents = attempt(() => yaml.parseAllDocuments(text, { merge: true, logLevel: 'error' }));
  const values = [...documents].map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw broken(error.message, error.linePos?.[0]);
    attempt(() =>
      yaml.visit(document, {
        Scalar: (_, node) => {
          if (typeof node.value === 'number' || typeof node.value === 'bigint') node.value = node.source ?? '';
        },
        Node: (_, __, path) => {
          if (path.length > MAX_DEPTH * 2) throw broken(TOO_DEEP);
        },
      }),
    );
    return attempt(() => document.toJS({ maxAliasCount: MAX_ALIASES }));
  });
  try {
    yield Buffer.from(JSON.stringify(values.length === 1 ? values[0] : values.flat()));
  } catch (cause) {
    // It has no end, or is too long, and so no JSON.
    throw broken('an alias stands inside the value that it repeats, or aliases repeat too much', undefined, cause);
  }
}

function tooLarge(bounds: Bounds) {
  return intakeError(
    'TOO_LARGE',
    `the YAML file is larger than ${boundText('element', bounds.element)}, and YAML is read in one piece`,
    orRaise('Convert it to NDJSON, or split it', 'element', bounds),
    { most: bounds.element },
  );
}

function attempt<Value>(read: () => Value) {
  try {
    return read();
  } catch (cause) {
    if (isIntakeError(cause)) throw cause;
    throw broken(messageOf(cause), undefined, cause);
  }
}

function broken(message: string, at?: { readonly line: number; readonly col: number }, cause?: unknown) {
  const [first = ''] = message.split('\n');
  return intakeError(
    'YAML_BROKEN',
    `the YAML cannot be read: ${shown(first.replace(/ at line \d+, column \d+:?$/, ''), 200)}`,
    at === undefined ? 'Correct the file' : 'Correct it there; indentation is the usual cause',
    {
      place: at && `line ${at.line}, column ${at.col}`,
      cause,
      ...(at !== undefined && { line: at.line, column: at.col }),
    },
  );
}
