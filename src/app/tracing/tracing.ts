import { withPackages } from '../../platform/packages.ts';
import { tracingSettings } from './tracing-settings.ts';

/** Undefined where no traces are wanted: then none of their packages is loaded. @throws BAD_SETTING, PACKAGE_MISSING */
export async function openTracing(warn: (text: string) => void) {
  const settings = tracingSettings();
  if (settings === undefined) return undefined;
  const { openTelemetry } = await withPackages(
    'traces (OTEL_SDK_DISABLED=true turns them off)',
    () => import('./open-telemetry.ts'),
  );
  return openTelemetry(settings, warn);
}
