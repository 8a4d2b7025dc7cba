import fc from 'fast-check';

/** Every code point but halves of surrogates, as fast-check's own unit `binary`, which takes a second to make. */
export const ANY_CHARACTER = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCodePoint(code)),
  fc
    .integer({ min: 0, max: 0x10_ff_ff })
    .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
    .map((code) => String.fromCodePoint(code)),
);
