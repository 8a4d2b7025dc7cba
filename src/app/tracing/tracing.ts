import type { Tracing } from './traced.ts';
import { tracingSettings } from './tracing-settings.ts';

/**
 * Undefined where no traces are wanted: then nothing of OpenTelemetry is loaded. @throws ConfigError
 * @param warn is told once when traces are lost
 */
export async function openTracing(warn: (text: string) => void): Promise<Tracing | undefined> {
  const settings = tracingSettings();
  return settings === undefined ? undefined : (await import('./open-telemetry.ts')).openTelemetry(settings, warn);
}
