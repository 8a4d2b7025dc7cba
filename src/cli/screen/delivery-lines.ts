import { utcTime, withFullStop } from '../../text/wording.ts';
import type { Imports, KeptImport } from '../target/imports.ts';

/**
 * Returns lines about the delivery of an import's reports and the process that makes it; none if they have no
 * destination.
 */
export function deliveryLines(imports: Pick<Imports, 'unattended' | 'command'>, found: KeptImport): string[] {
  const { id, delivery } = found;
  if (delivery === undefined) return [];
  const { to, since, arrivedAt, error } = delivery;
  if (arrivedAt !== null) return ['', `The reports were delivered to ${to}`];
  const what =
    error === null
      ? `The reports are being delivered to ${to}`
      : withFullStop(`The reports wait to be delivered to ${to} since ${utcTime(Date.parse(since))}: ${error}`);
  const how = ['Deliver them with this, or while `rollcall serve` runs:', `  ${imports.command('resume', id)}`];
  return ['', what, ...(imports.unattended ? [] : how)];
}
