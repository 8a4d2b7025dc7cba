import type { ServiceError } from '../chat/contract.ts';

/** A request that the service refuses as a whole: its status and the `error` of its body. */
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
