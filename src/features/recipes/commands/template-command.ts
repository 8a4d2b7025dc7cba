import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { Action } from '../../../cli/exit-codes.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { badUsage, RollcallError } from '../../../errors/rollcall-error.ts';
import { TEMPLATE_FORMATS, type TemplateFormat, templateFile } from '../template-file.ts';

interface Flags {
  readonly format: TemplateFormat;
  readonly output?: string;
}

/** `rollcall template`: writes an example file. */
export function templateCommand(action: Action) {
  return new Command('template')
    .addOption(new Option('--format <format>', 'format of the file').choices(TEMPLATE_FORMATS).default('csv'))
    .option('--output <file>', 'write to a file instead of standard output; one that exists is not replaced')
    .action(action(template));
}

async function template(io: Io, { format, output }: Flags) {
  const file = templateFile(format);
  if (output === undefined) {
    if (format === 'xlsx' && io.color) throw badUsage('a workbook is not text: name a file with --output');
    io.out.write(file);
    return;
  }
  try {
    await writeFile(output, file, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'EEXIST' ? `${output} exists already` : message;
    throw new RollcallError('OUTPUT_FAILED', { document: 'the example', why });
  }
  say(io, `Written to ${output}. Check it with:`, `  rollcall import ${output} --sandbox`);
}
