import type { Command } from 'commander';
import type { ImportOptions } from '../../imports/import-options.ts';
import { repeatable } from './once.ts';

/** Which part of a workbook, folder or archive is read. */
export interface FileFlags {
  readonly sheet?: string;
  readonly files?: readonly string[];
}

export function withFiles(command: Command): Command {
  return command
    .option('--sheet <name|n>', 'sheet of a workbook (default: the first visible one that is not empty)')
    .option(
      '--files <pattern>',
      'files of a folder or ZIP archive, such as "members*.csv"; may be repeated (default: those with rows at its top)',
      repeatable((pattern: string, earlier: readonly string[] = []) => [...earlier, pattern]),
    );
}

/** The flags as options of an import. */
export function fileOptionsOf({ sheet, files }: FileFlags): Pick<ImportOptions, 'sheet' | 'files'> {
  return { ...(sheet !== undefined && { sheet }), ...(files !== undefined && { files: [...files] }) };
}
