/** Times and numbers of an import. */
import type { ComponentChildren } from 'preact';
import type { ImportView } from '../../answers.ts';
import { counted, duration, grouped } from '../../format.ts';
import { RelativeTime } from '../../relative-time.tsx';
import { targetFacts } from '../../sends-to.tsx';
import { isOfSync } from '../../words.ts';

/** The facts that are asked for most, in a line. */
export function factsGist({ createdAt, startedAt, finishedAt }: ImportView) {
  if (startedAt === null)
    return (
      <>
        created <RelativeTime iso={createdAt} />
      </>
    );
  if (finishedAt === null)
    return (
      <>
        started <RelativeTime iso={startedAt} />
      </>
    );
  const took = duration(Date.parse(finishedAt) - Date.parse(startedAt));
  return (
    <>
      finished <RelativeTime iso={finishedAt} />, took {took}
    </>
  );
}

export function factsOf(view: ImportView): (readonly [string, ComponentChildren])[] {
  const { startedAt, finishedAt, target } = view;
  const limited = Object.values(view.regions).reduce((sum, region) => sum + region.rateLimited, 0);
  return [
    [isOfSync(view) || view.retryOf !== null ? 'Created' : 'Uploaded', <RelativeTime iso={view.createdAt} />],
    ['Started', startedAt !== null && <RelativeTime iso={startedAt} />],
    ['Finished', finishedAt !== null && <RelativeTime iso={finishedAt} />],
    ['Took', startedAt !== null && finishedAt !== null && duration(Date.parse(finishedAt) - Date.parse(startedAt))],
    ['Rows of the file', view.inputRows !== undefined && grouped(view.inputRows)],
    [view.inputRows === undefined ? 'Rows' : 'Memberships', view.rows.read > 0 && grouped(view.rows.read)],
    ['Created', createdText(view)],
    ['Messages in groups', messagesText(view)],
    ['Calls', view.calls > 0 && grouped(view.calls)],
    ['Asked who is banned', view.banQuestions !== undefined && counted(view.banQuestions, 'group')],
    ['Retries', view.retries > 0 && grouped(view.retries)],
    ['Rate-limited', limited > 0 && counted(limited, 'time')],
    ...targetFacts(target),
  ];
}

/** Describes the things that the import has created, or returns null. */
export function createdText({ created }: ImportView) {
  if (created === undefined) return null;
  const parts = [
    created.users > 0 && counted(created.users, 'user'),
    created.groups > 0 && counted(created.groups, 'group'),
    created.reactivated > 0 && `${grouped(created.reactivated)} reactivated`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

/** Each addition writes one into the group's conversation; in how many groups is known of the plan only. */
function messagesText({ writes, rows, finishedAt }: ImportView) {
  if (writes === undefined) return null;
  const planned = `${grouped(writes.messages)} in ${counted(writes.groups, 'group')}`;
  if (finishedAt === null) return `up to ${planned}`;
  return rows.added === writes.messages ? planned : grouped(rows.added);
}
