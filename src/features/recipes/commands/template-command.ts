import { Command, Option } from 'commander';
import type { Action } from '../../../cli/exit-codes.ts';
import { type OutputFlags, refuseExisting, withOutput } from '../../../cli/flags/flags.ts';
import { type Io, say, writeDocument } from '../../../cli/screen/io.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { TEMPLATE_FORMATS, type TemplateFormat, templateFile } from '../template-file.ts';

interface Flags extends OutputFlags {
  readonly format: TemplateFormat;
}

/** `rollcall template`: writes an example file. */
export function templateCommand(action: Action) {
  const format = new Option('--format <format>', 'format of the file').choices(TEMPLATE_FORMATS).default('csv');
  return withOutput(new Command('template').addOption(format)).action(action(template));
}

async function template(io: Io, flags: Flags) {
  const { format, output } = flags;
  if (format === 'xlsx' && output === undefined && io.color)
    throw badUsage('a workbook is not text: name a file with --output');
  refuseExisting(flags);
  await writeDocument(io, 'the example', [templateFile(format)], output);
  if (output !== undefined) say(io, `Written to ${output}. Check it with:`, `  rollcall import ${output} --sandbox`);
}
