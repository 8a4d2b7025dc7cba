/** Cron expressions in words, as far as they are simple. Pure. */

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': 'every hour',
  '@daily': 'every day at 00:00',
  '@weekly': 'every Sunday at 00:00',
  '@monthly': 'on day 1 of every month at 00:00',
  '@yearly': 'on 1 January at 00:00',
};

/** "30 2 * * 1-5" → "Monday to Friday at 02:30"; '' for what is not so simple. */
export function cronWords(cron: string) {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...rest] = cron.trim().split(/\s+/);
  const nickname = NICKNAMES[minute];
  if (nickname !== undefined && hour === '') return nickname;
  if (rest.length > 0 || month !== '*') return '';
  const anyDay = day === '*' && weekday === '*';
  const [, minutes] = /^\*\/(\d{1,2})$/.exec(minute) ?? [];
  if (minutes !== undefined && hour === '*' && anyDay) return `every ${minutes} minutes`;
  if (!/^\d{1,2}$/.test(minute)) return '';
  if (hour === '*') return anyDay ? `every hour at minute ${minute}` : '';
  const hours = hour.split(',');
  if (!hours.every((one) => /^\d{1,2}$/.test(one))) return '';
  const at = `at ${hours.map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`).join(', ')}`;
  if (anyDay) return `every day ${at}`;
  if (weekday === '*') return /^\d{1,2}$/.test(day) ? `on day ${day} of every month ${at}` : '';
  const days = day === '*' ? weekdays(weekday) : '';
  return days === '' ? '' : `${days} ${at}`;
}

/** @param text such as "1-5" or "1,3" */
function weekdays(text: string) {
  const [, from, to] = /^([0-7])-([0-7])$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return `${WEEKDAYS[Number(from)]} to ${WEEKDAYS[Number(to)]}`;
  const days = text.split(',');
  if (!days.every((day) => /^[0-7]$/.test(day))) return '';
  return `every ${days.map((day) => WEEKDAYS[Number(day)]).join(', ')}`;
}
