import { Counter, Gauge, type Registry } from 'prom-client';
import type { NotificationResult, Notifier } from './notifier.ts';

/** Metrics of notifications, if the server sends any. */
export interface NotificationMetrics {
  attempted(result: NotificationResult): void;
  watch(notifier: Pick<Notifier, 'count'>): void;
}

export function notificationMetrics(registry: Registry): NotificationMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'rollcall_notifications_total',
    help: 'Attempts to deliver a notification, by result; one that is given up is lost',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['delivered', 'failed', 'given-up']) attempts.inc({ result }, 0);
  return {
    attempted: (result) => attempts.inc({ result }),
    watch: (notifier) => {
      new Gauge({
        name: 'rollcall_notifications_waiting',
        help: 'Notifications that are not delivered yet',
        registers,
        collect() {
          this.set(notifier.count().waiting);
        },
      });
      new Gauge({
        name: 'rollcall_notifications_oldest_seconds',
        help: 'Age of the oldest notification that is not delivered yet; 0 when there is none',
        registers,
        collect() {
          const { since } = notifier.count();
          this.set(since === null ? 0 : Math.max(0, Date.now() - since) / 1000);
        },
      });
    },
  };
}
