import type { Call } from '../../api/operation.ts';
import type { ImportOptions } from '../../imports/import-options.ts';
import { inShort } from '../../text/wording.ts';
import type { ServerContext } from '../context.ts';
import type { Requested } from '../serve.ts';
import { checkLength, type TakenFile, type Uploads } from './accept.ts';
import { labelOf } from './receive.ts';
import { uploadOptions } from './upload-options.ts';

/** A file that has come, with the options by which it is read. */
interface ReadFile extends Omit<TakenFile, 'type'> {
  /** Its name, as lists show it. */
  readonly file: string;
  readonly options: ImportOptions;
  /** The call that makes something of it; its line in the audit log says what was chosen. */
  readonly callFor: (made: string) => Call;
}

interface Taking {
  readonly kind: 'import' | 'sync';
  /** Refuses options before the file is sent. */
  readonly check?: (options: ImportOptions) => void;
  /** Returns the id of what it made. */
  readonly make: (file: ReadFile) => Promise<string>;
}

/**
 * Takes the file of a request, and has something made of it.
 * @returns the id of what was made of it, or of the same file before @throws BAD_OPTION, UNKNOWN_RECIPE, RECIPE_NEEDS; as `Uploads.take`
 */
export function takeFile(
  { settings, recipes }: Pick<ServerContext, 'settings' | 'recipes'>,
  uploads: Uploads,
  query: Parameters<typeof uploadOptions>[0],
  { who, request, reply, audited }: Requested,
  { kind, check, make }: Taking,
): Promise<string> {
  const { maxUploadBytes, defaultRegion: region, sandbox } = settings;
  const contentType = request.headers['content-type'] ?? '';
  checkLength(request, maxUploadBytes);
  const optionsOf = (type: string) => uploadOptions(query, { contentType: type, region, sandbox });
  const options = optionsOf(contentType);
  check?.(options);
  recipes.check(options);
  const chosen = { ...query, contentType };
  return uploads.take(
    request,
    reply,
    kind === 'import' ? chosen : { [kind]: chosen },
    async ({ type, ...taken }) => {
      const file = labelOf(query.name ?? taken.name);
      // In a form, the part has the file's type.
      const own = request.isMultipart() ? optionsOf(type) : options;
      const settled = await recipes.settle(own, { path: taken.path }, file);
      const said = inShort({ file, ...query, name: undefined, source: undefined });
      const callFor = (made: string) => ({ who, audited: () => audited(said, made) });
      return make({ ...taken, file, options: settled, callFor });
    },
    query.source,
  );
}
