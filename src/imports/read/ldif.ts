import { type Bounds, IntakeError, shown, tooLong } from './intake-error.ts';
import { firstOfName } from './shape/field-sources.ts';

/** Attributes that hold members: two with their names in the directory, one with their ids. */
const MEMBER_ATTRIBUTES: ReadonlySet<string> = new Set(['member', 'uniquemember', 'memberuid']);

/** Lines of ldapsearch about the search, in blocks without a name. */
const OF_SEARCH: ReadonlySet<string> = new Set([
  'search',
  'result',
  'ref',
  'control',
  'matcheddn',
  'text',
  'pagedresults',
]);

/**
 * The groups of an LDIF text (RFC 2849) in UTF-8 as NDJSON: an object for each member, `{"guid", "uid", "group_dn",
 * "member_dn"}`. The GUID is the first value of the group's name, the UID that of the member's name, or its memberUid. Other
 * entries are skipped.
 * Throws LDIF_BROKEN, ROW_TOO_LONG.
 */
export async function* ldifAsNdjson(blocks: AsyncIterable<Buffer>, bounds: Bounds): AsyncGenerator<Buffer> {
  const reader = new LdifReader(bounds);
  for await (const block of blocks) {
    const text = reader.read(block.toString());
    if (text !== '') yield Buffer.from(text);
  }
  const text = reader.read('\n\n\n');
  if (text !== '') yield Buffer.from(text);
}

class LdifReader {
  readonly #bounds: Bounds;
  #unfinished = '';
  /** Folded lines gather here: one that begins with a space continues the line before. */
  #line = '';
  #number = 0;
  #lineStart = 0;
  /** Name of the entry that is being read. */
  #name: string | undefined;
  #written: string[] = [];

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  read(text: string): string {
    const lines = (this.#unfinished + text).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) {
      this.#number += 1;
      this.#physical(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    if (this.#unfinished.length > this.#bounds.element) throw this.#tooLong();
    const written = this.#written.join('');
    this.#written = [];
    return written;
  }

  #physical(line: string) {
    if (line.startsWith(' ')) {
      this.#line += line.slice(1);
      if (this.#line.length > this.#bounds.element) throw this.#tooLong();
      return;
    }
    this.#logical(this.#line);
    this.#line = line;
    this.#lineStart = this.#number;
    if (line === '') this.#name = undefined;
  }

  #logical(line: string) {
    if (line === '' || line.startsWith('#')) return;
    const [, attribute = '', mark = '', rest = ''] = /^([A-Za-z0-9.;_-]+):([:<]?)\s*(.*)$/s.exec(line) ?? [];
    const [, range] = /^[A-Za-z0-9.-]+;(range=[^:]*):/i.exec(line) ?? [];
    if (range !== undefined) throw this.#broken(`the directory gave only a part of the members (${shown(range)})`);
    if (attribute === '') throw this.#broken(`${shown(line)} is not "attribute: value"`);
    const [name = ''] = attribute.toLowerCase().split(';');
    if (name === 'version' && this.#name === undefined) return;
    if (name === 'dn') {
      this.#name = this.#value(mark, rest);
      return;
    }
    if (this.#name === undefined && OF_SEARCH.has(name)) {
      if (name === 'result' && !/^0\b/.test(rest)) throw this.#broken(`the search did not end well (${shown(line)})`);
      return;
    }
    if (this.#name === undefined) throw this.#broken(`${shown(line)} is in an entry without a "dn:"`);
    if (name === 'changetype' && rest.trim() !== 'add') {
      throw this.#broken(
        `the entry is a change (${shown(rest.trim())}); groups are read from entries with their members`,
      );
    }
    if (MEMBER_ATTRIBUTES.has(name)) this.#member(this.#name, name, this.#value(mark, rest));
  }

  #member(group: string, attribute: string, value: string) {
    if (value.trim() === '') return;
    const isName = attribute !== 'memberuid';
    const row = {
      guid: firstOfName(group),
      uid: isName ? firstOfName(value) : value,
      group_dn: group,
      member_dn: isName ? value : '',
    };
    this.#written.push(`${JSON.stringify(row)}\n`);
  }

  #value(mark: string, rest: string) {
    if (mark === '<') throw this.#broken('a value from a URL is not fetched');
    return mark === ':' ? Buffer.from(rest.trim(), 'base64').toString() : rest.trimEnd();
  }

  #broken(what: string) {
    return new IntakeError(
      'LDIF_BROKEN',
      what,
      'Export the groups with their members again, for instance with ldapsearch -LLL "(objectClass=groupOfNames)"',
      { place: `line ${this.#lineStart}`, facts: { line: this.#lineStart } },
    );
  }

  #tooLong() {
    const line = this.#number + 1;
    return tooLong('line', this.#bounds, { place: `line ${line}`, advice: 'Shorten it', facts: { line } });
  }
}
