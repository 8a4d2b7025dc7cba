import type { SyncEntry } from '../../api/sync-entry.ts';
import { isMachineWait } from '../../imports/reason-codes.ts';
import { planningWords } from '../../membership/plan-words.ts';
import { asClause, counted } from '../../text/wording.ts';

/** A sync before what follows from it. */
type Known = Omit<SyncEntry, 'sentence' | 'next'>;

/** Its state and the meaning of it, in one or two sentences of its own for each state. */
export function sentenceOf({ state, code, reason, totals, importId, planning }: Known): string {
  const isUnderWay = state === 'planning' || state === 'applying';
  if (isUnderWay && (code === 'SERVICE_AWAY' || isMachineWait(code ?? null)))
    return `Waiting: ${asClause(reason)}. It continues by itself, and nothing is sent meanwhile.`;
  const { changes = 0, groups = 0, changedGroups = groups } = totals ?? {};
  const planned = totals === null ? '' : `${counted(changes, 'change')} in ${counted(changedGroups, 'group')}`;
  switch (state) {
    case 'planning':
      return `${planning === null ? 'The plan is being made' : planningWords(planning)}. Nothing is sent.`;
    case 'planned':
      return `Planned: ${planned}. Nothing has been sent.`;
    case 'held':
      return `Held: guards object to the plan (${planned}). Nothing is sent unless someone approves it.`;
    case 'unchanged':
      return `Nothing was sent: ${asClause(reason)}.`;
    case 'tried':
      return `A try: ${changes === 0 ? 'there is nothing to do' : planned}. Nothing is sent, and the plan is not carried out.`;
    case 'failed':
      return totals === null
        ? 'No plan could be made, and nothing was sent.'
        : 'The plan was not carried out: nothing was sent.';
    case 'cancelled':
      return 'Cancelled while the plan was made: nothing was sent.';
    case 'rejected':
      return `Rejected: the plan (${planned}) will not be carried out. Nothing was sent.`;
    case 'applying':
      return importId === null
        ? 'The file and the groups are being checked again, before anything is sent.'
        : `Being carried out by an import: ${planned}.`;
    case 'stale':
      return 'Not applied: the file or the groups have changed too much since the plan was made. Nothing was sent.';
    case 'applied':
      return `Applied: ${planned}. The import shows the result of each.`;
    case 'incomplete':
      return 'Not carried out completely: its import ended early.';
  }
}

/** The next steps, by the state: a person decides about a plan. */
export function nextOf({ state, totals }: Known): SyncEntry['next'] {
  const reject = {
    operation: 'reject',
    name: 'Reject',
    why: 'Or reject it; a new plan can be made at any time',
  } as const;
  const changes = counted(totals?.changes ?? 0, 'change');
  if (state === 'planned')
    return [
      { operation: 'apply', name: `Apply ${changes}`, why: 'Look at every change, then carry the plan out' },
      reject,
    ];
  if (state !== 'held') return [];
  return [
    { operation: 'approve', name: 'Approve', why: 'Look at every change; if they are right, approve this plan' },
    reject,
  ];
}
