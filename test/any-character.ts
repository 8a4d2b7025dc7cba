import fc from 'fast-check';

/** Every code point there is, halves of surrogates included. fast-check's own unit `binary` takes a second to make. */
export const ANY_CHARACTER = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCodePoint(code)),
  fc.integer({ min: 0, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code)),
);
