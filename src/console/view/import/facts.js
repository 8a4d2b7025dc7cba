/** Times and numbers of an import. */
import { h } from '../../element.js';
import { counted, duration, grouped } from '../../format.js';
import { RelativeTime } from '../../relative-time.js';
import { isOfSync } from '../../words.js';

/** @import { ImportView } from '../../answers.d.ts' */

/** The facts that are asked for most, in a line. @param {ImportView} view */
export function factsGist({ createdAt, startedAt, finishedAt }) {
  if (startedAt === null) return ['created ', h(RelativeTime, { iso: createdAt })];
  if (finishedAt === null) return ['started ', h(RelativeTime, { iso: startedAt })];
  const took = duration(Date.parse(finishedAt) - Date.parse(startedAt));
  return ['finished ', h(RelativeTime, { iso: finishedAt }), `, took ${took}`];
}

/**
 * @param {ImportView} view
 * @returns {(readonly [string, import('preact').ComponentChildren])[]}
 */
export function factsOf(view) {
  const { startedAt, finishedAt } = view;
  const limited = Object.values(view.regions).reduce((sum, region) => sum + region.rateLimited, 0);
  return [
    [isOfSync(view) || view.retryOf !== null ? 'Created' : 'Uploaded', h(RelativeTime, { iso: view.createdAt })],
    ['Started', startedAt !== null && h(RelativeTime, { iso: startedAt })],
    ['Finished', finishedAt !== null && h(RelativeTime, { iso: finishedAt })],
    ['Took', startedAt !== null && finishedAt !== null && duration(Date.parse(finishedAt) - Date.parse(startedAt))],
    ['Rows of the file', view.inputRows !== undefined && grouped(view.inputRows)],
    [view.inputRows === undefined ? 'Rows' : 'Memberships', view.rows.read > 0 && grouped(view.rows.read)],
    ['Created', createdText(view)],
    ['Messages in groups', messagesText(view)],
    ['Calls', view.calls > 0 && grouped(view.calls)],
    ['Asked who is banned', view.banQuestions !== undefined && counted(view.banQuestions, 'group')],
    ['Retries', view.retries > 0 && grouped(view.retries)],
    ['Rate-limited', limited > 0 && counted(limited, 'time')],
  ];
}

/** What the import has created, or null. @param {ImportView} view */
export function createdText({ created }) {
  if (created === undefined) return null;
  const parts = [
    created.users > 0 && counted(created.users, 'user'),
    created.groups > 0 && counted(created.groups, 'group'),
    created.reactivated > 0 && `${grouped(created.reactivated)} reactivated`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

/** Each addition writes one into the group's conversation; in how many groups is known of the plan only. @param {ImportView} view */
function messagesText({ writes, rows, finishedAt }) {
  if (writes === undefined) return null;
  const planned = `${grouped(writes.messages)} in ${counted(writes.groups, 'group')}`;
  if (finishedAt === null) return `up to ${planned}`;
  return rows.added === writes.messages ? planned : grouped(rows.added);
}
