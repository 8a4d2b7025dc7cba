import { printable } from './wording.ts';

/** HTML that is ready to be put on a page. Only the `html` tag makes it, so text that was not escaped cannot pass as markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[];

/**
 * Template tag: the literal parts are markup, every value put in is escaped, for element content and for attribute
 * values in double quotes alike. Markup and lists of it go in as they are. Control and direction characters become
 * visible (`printable`).
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]) {
  const pieces = literals.map((literal, index) => literal + (index < parts.length ? written(parts[index] ?? '') : ''));
  return new Markup(pieces.join(''));
}

function written(part: Part) {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string') return escaped(part);
  if (typeof part === 'number') return String(part);
  return part.map((markup) => markup.text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string) {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Nothing, where a part of a page is left out. */
export const NOTHING = html``;
