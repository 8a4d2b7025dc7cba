import { BAN_CHECK } from './ban-options.ts';
import { CREATING, MAX_CREATE } from './create-options.ts';
import { LEAVING_OUT, REMOVING } from './sending-options.ts';

const { createUsers, createGroups, userNameFrom, groupNameFrom } = CREATING;

/** Options that `resume` may change of an import that waits for an answer. */
export const RESUMING = {
  ...{ createUsers, createGroups, userNameFrom, groupNameFrom },
  ...{ ...MAX_CREATE, ...REMOVING, ...BAN_CHECK, ...LEAVING_OUT },
};
