/** Addresses such as `https://…`, told from paths. The part behind the scheme may hold a secret. */

/** One scheme may be inside of another: `jdbc:postgresql://`. Ours count with slashes missing too: what follows may be a secret. */
const ADDRESS =
  /^\s*(?:((?:[a-z][a-z0-9+.-]*:)*[a-z][a-z0-9+.-]*):\/\/|(sqlite|https?|s3|gs|postgres|postgresql|mysql|mariadb|sftp):)/i;
/** `name:` behind a scheme and any number of slashes, or behind two slashes. */
const WITH_PASSWORD = /:\/\/[^/?#@:]*:|^\s*(?:[a-z][a-z0-9+.-]+:[/\\]*|[/\\]{2,})[^/\\?#@:]*:/i;

/** The scheme of an address, such as `https`; undefined for anything else. */
export function schemeOf(text: string) {
  const [, scheme, bare] = ADDRESS.exec(text) ?? [];
  return (scheme ?? bare)?.toLowerCase();
}

/** Whether a text is meant as an address, well written or not: it is no path then, and is not repeated. */
export function isAddress(text: string) {
  return schemeOf(text) !== undefined || hasPassword(text);
}

/** Whether there is `name:password@` in an address. */
export function hasPassword(address: string) {
  return WITH_PASSWORD.test(address.slice(0, Math.max(0, address.lastIndexOf('@'))));
}

/** A text for a message: of an address only its scheme. */
export function withoutAddress(text: string) {
  return isAddress(text) ? `${schemeOf(text) ?? ''}://…` : text;
}

/** In buckets and folders, ? stands for any character. */
const WITH_QUERY = /^\s*(?:https?|postgres|postgresql|mysql|mariadb|sqlite):/i;

/** An address as it is shown: without its query, which may be as good as a password. */
export function addressName(address: string) {
  return WITH_QUERY.test(address) ? address.replace(/[?#].*$/s, '') : address;
}

/** Returns the name of a source in the settings: `hr` of `hr:/out/members.csv`. One letter is a drive. */
export function sourceName(text: string) {
  return /^([a-z][a-z0-9_-]+):(?!\/\/)/.exec(text)?.[1];
}

/** Whether a whole source (`wholeSource`) is no path, but an address or in a named source: whole paths begin otherwise. */
export function isRemote(source: string) {
  return isAddress(source) || sourceName(source) !== undefined;
}
