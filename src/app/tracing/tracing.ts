import type { Tracing } from './traced.ts';
import { tracingSettings } from './tracing-settings.ts';

/** Undefined where no traces are wanted: then nothing of OpenTelemetry is loaded. @throws ConfigError */
export async function openTracing(): Promise<Tracing | undefined> {
  const settings = tracingSettings();
  return settings === undefined ? undefined : (await import('./open-telemetry.ts')).openTelemetry(settings);
}
