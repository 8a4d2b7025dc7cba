/**
 * Texts for people that name options. The same option is `--on-behalf-of ann` on the command line and `onBehalfOf=ann` in
 * the address of an API request, so such a text is kept in parts, and each surface writes the options in its own way:
 *
 *   const remedy = words`Correct ${option('delimiter')}, or leave it out`;
 *   written(remedy, asFlag)        // Correct --delimiter, or leave it out
 *   written(remedy, asParameter)   // Correct `delimiter`, or leave it out
 */

/** An option by its name in the API (camelCase), perhaps with a value to give it. */
export interface NamedOption {
  readonly option: string;
  readonly value?: string | undefined;
  /** The same as a part of the API's `shape`, which the command line has flags for. */
  readonly shape?: object;
}

/** Parts of a shape as examples, where a text gives no value. */
const SHAPE_EXAMPLES: Readonly<Record<string, object>> = {
  headerRow: { headerRow: 3 },
  where: { where: [{ column: 'status', is: ['active'] }] },
  scopeWords: { scopeWords: { OWNER: 'admin' } },
};

/** Plain JSON: it crosses threads and is stored as it is. */
export type Words = string | readonly (string | NamedOption)[];

export type WriteOption = (option: NamedOption) => string;

export function option(name: string, value?: string): NamedOption {
  return value === undefined ? { option: name } : { option: name, value };
}

/** A part of a shape: a flag with its value, and the same for the API. */
export function shapeOption(name: string, value: string, shape: object): NamedOption {
  return { option: name, value, shape };
}

/** A text with options or other such texts in it. */
export function words(texts: TemplateStringsArray, ...between: readonly (Words | NamedOption)[]): Words {
  return texts.flatMap((text, index) => {
    const next = between[index];
    return next === undefined ? [text] : [text, ...(Array.isArray(next) ? next : [next as string | NamedOption])];
  });
}

export function written(text: Words, write: WriteOption) {
  if (typeof text === 'string') return text;
  return text.map((part) => (typeof part === 'string' ? part : write(part))).join('');
}

export function flagOf(name: string) {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Writes an option for the shell, with quotes if the value needs them. */
export const asFlag: WriteOption = ({ option: name, value }) => {
  const flag = flagOf(value === 'false' ? `no-${name}` : name);
  return value === undefined || value === 'false' ? flag : `${flag} ${quoted(value)}`;
};

/** Writes an option as a query parameter, before percent-encoding; between backticks, by which the console finds it. */
export const asParameter: WriteOption = ({ option: name, value, shape = SHAPE_EXAMPLES[name] }) => {
  if (shape !== undefined) return `\`shape=${JSON.stringify(shape)}\``;
  return `\`${value === undefined ? name : `${name}=${value}`}\``;
};

function quoted(value: string) {
  if (/^[\p{L}\p{N}_.,:=/@%+-]*$/u.test(value)) return value;
  return /["$`\\!]/.test(value) ? `'${value.replaceAll("'", `'\\''`)}'` : `"${value}"`;
}
