import { REGIONS } from '../src/membership/membership.ts';
import { defaultOf, SETTINGS, type SettingDeclaration } from '../src/platform/settings.ts';

/** The table of docs/settings.md, in Markdown. */
export function settingsTable(): string {
  const others = REGIONS.slice(1).map((region) => `\`…_${region.toUpperCase()}_…\``);
  const rows = Object.values<SettingDeclaration>(SETTINGS).map((declared) => {
    const { env, flag, perRegion, orFile, meaning } = declared;
    const names = [
      `\`${env}\``,
      ...(orFile ? [`\`${env}_FILE\``] : []),
      ...(perRegion ? others : []),
      ...(flag ? [`\`${flag.split(' ')[0]}\``] : []),
    ];
    return `| ${names.join(', ')} | ${meaning} |${` ${defaultOf(declared)}`.trimEnd()} |`;
  });
  return ['| setting | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
}
