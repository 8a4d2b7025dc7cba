/** "2027-03-28 03:30" in a time zone. @param at ISO 8601 */
export function localTime(at: string, tz: string): string {
  const form = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  return form.format(Date.parse(at));
}
