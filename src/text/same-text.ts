/** Texts that look alike may be written in two forms: macOS splits é into e and an accent. They are compared in one. */

/** A name as it is compared: without surrounding spaces, in one form. */
export function sameName(text: string) {
  return text.trim().normalize('NFC');
}

/** A word as it is compared: as a name, without regard to case. */
export function sameWord(text: string) {
  return sameName(text).toLowerCase();
}

/** Letters as names of columns and their words are compared: without regard to case, spaces, `-` and `_`. */
export function bareWord(text: string) {
  return text.toLowerCase().replace(/[\s_-]/g, '');
}
