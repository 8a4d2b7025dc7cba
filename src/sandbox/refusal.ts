import type { ServiceError } from '../chat/contract.ts';
import type { Obstacle } from './group.ts';

/** A request that the service refuses entirely: its status and the `error` of its body. */
export class Refusal extends Error {
  readonly status: number;
  readonly error: ServiceError;

  constructor(status: number, error: ServiceError) {
    super(`${status} ${error.code}`);
    this.name = 'Refusal';
    this.status = status;
    this.error = error;
  }
}

/** An error as the service writes it, in a refused request as well as in the entry of a refused UID. */
export function serviceError(code: string, message: string, details?: Record<string, string[]>): ServiceError {
  return { message, devMessage: message, source: 'chat-api', ...(details && { details }), code };
}

/** 400 for a body or query that does not hold what it must; `details` lists the texts per field. */
export function badRequest(details: Record<string, string[]>): Refusal {
  return new Refusal(400, serviceError('ERR_BAD_REQUEST', 'The request holds invalid data, see details.', details));
}

export function uidNotFound(uid: string): ServiceError {
  return serviceError('ERR_UID_NOT_FOUND', `The user with UID ${uid} does not exist.`);
}

export function guidNotFound(guid: string): ServiceError {
  return serviceError('ERR_GUID_NOT_FOUND', `The group with GUID ${guid} does not exist.`);
}

/** Returns the error for a user who cannot be given the requested place in a group. */
export function obstacleError(obstacle: Obstacle, uid: string, guid: string): ServiceError {
  const messages: Readonly<Record<Obstacle, string>> = {
    ERR_ALREADY_JOINED: `The user with UID ${uid} has already joined the group with GUID ${guid}.`,
    ERR_BANNED_GROUPMEMBER: `The user with UID ${uid} is banned from the group with GUID ${guid}.`,
    ERR_ALREADY_BANNED: `The user with UID ${uid} is already banned from the group with GUID ${guid}.`,
    ERR_NO_VACANCY: `The group with GUID ${guid} is full.`,
    ERR_NOT_A_MEMBER: `The user with UID ${uid} is not a member of the group with GUID ${guid}.`,
    ERR_SAME_SCOPE: `The user with UID ${uid} has this scope in the group with GUID ${guid} already.`,
    ERR_NOT_A_BANNED_USER: `The user with UID ${uid} is not banned from the group with GUID ${guid}.`,
  };
  return serviceError(obstacle, messages[obstacle]);
}
