import { basename, extname } from 'node:path';

/** Content-Disposition of a download that is named after the input `file`: its base name, a dash, and `tail`. */
export function attachment(file: string, tail: string): string {
  const last = (file.split(/[/\\]/).at(-1) ?? '').replace(/\.gz$/i, '');
  const name = `${basename(last, extname(last)) || 'import'}-${tail}`;
  const ascii = name.replace(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
