import { z } from 'zod';
import { askQuery, historyPage, historyQuery, memberNow, membersPage, membersQuery } from '../members.ts';
import { operationsOf } from '../operation.ts';

const operation = operationsOf('members', z.object({ uid: z.string() }));

/** Users by a part of their UID, what every import did to one, and where this one is now. */
export const memberOperations = {
  search: operation('GET /v1/members', 'viewer', {
    summary: 'Users in imports by a part of their UID, those of the newest import first',
    description: 'A page may hold fewer users than `limit`, or none, and have a next one.',
    query: membersQuery,
    answer: membersPage,
    refusals: ['BAD_CURSOR'],
  }),
  history: operation('GET /v1/members/:uid/history', 'viewer', {
    summary: 'Effects of all imports on a UID, newest import first',
    description: 'A page may hold fewer entries than `limit`, or none, and have a next one.',
    query: historyQuery,
    answer: historyPage,
    refusals: ['BAD_CURSOR'],
  }),
  ask: operation('POST /v1/members/:uid/ask', 'operator', {
    audit: 'member.ask',
    summary: 'Ask the service in which groups a user is now, and compare with what imports did',
    description:
      'One call for the groups of the user in each region, and one or two for each of up to 20 groups that differ, within the rate of the region.',
    query: askQuery,
    answer: memberNow,
    refusals: ['REGION_WITHOUT_APP'],
  }),
};
