import { createHash } from 'node:crypto';
import { ServiceRefusal } from './errors.ts';

/** First 8 hexadecimal digits of a hash: they distinguish keys, and do not reveal them. */
export function fingerprintOf(apiKey: string): string {
  return createHash('sha256').update(`rollcall API key\n${apiKey}`).digest('hex').slice(0, 8);
}

/**
 * Whether the service itself refuses a call for its key: one that is missing, unknown, or may not do this. The codes
 * are publicly documented, the status where there is none is assumed (docs/chat-service.md, 33).
 */
export function isKeyRefusal({ serviceCode, httpStatus, foreign }: ServiceRefusal): boolean {
  if (foreign !== null) return false;
  if (serviceCode !== null) return /^AUTH_ERR_(?!.*APPID)/.test(serviceCode);
  return httpStatus === 401 || httpStatus === 403;
}

/** The refusal with the fingerprint of its key, for the person who has to change it. */
export function withKeyNamed(refusal: ServiceRefusal, fingerprint: string): ServiceRefusal {
  const { serviceMessage } = refusal;
  return new ServiceRefusal({
    httpStatus: refusal.httpStatus,
    serviceCode: refusal.serviceCode,
    serviceMessage: `${serviceMessage}${serviceMessage === '' ? '' : ' '}(key ${fingerprint})`,
    rate: refusal.rate,
  });
}
