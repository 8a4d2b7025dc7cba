/**
 * The page's stylesheet. Blues are fulfilled, warm and violet tones are not, greys were not sent: the hues stay
 * apart for red-green and blue-yellow blindness, and every outcome but `added` and `duplicate` has a texture.
 * Texts reach a contrast of 4.5:1 and drawn areas 3:1 against the paper, in both schemes (test/imports/report/html-style.test.ts).
 */
export const LIGHT: Readonly<Record<string, string>> = {
  paper: '#fcfbf8',
  ink: '#1d232a',
  soft: '#565e67',
  rule: '#d9d5cc',
  track: '#ebe8e1',
  good: '#1f5f8b',
  attention: '#9a3d08',
  fault: '#a3123a',
  added: '#2a6f9e',
  banned: '#123f63',
  already_member: '#5590b8',
  failed: '#c4470e',
  invalid: '#a87400',
  duplicate: '#8a8f96',
  unconfirmed: '#7a4aa0',
  unprocessed: '#6f7680',
  changed: '#0b7285',
  removed: '#46607a',
  unbanned: '#5f7f3a',
  skipped: '#8a8f98',
};

export const DARK: Readonly<Record<string, string>> = {
  paper: '#14181c',
  ink: '#e9e6df',
  soft: '#a5acb4',
  rule: '#363d45',
  track: '#262c33',
  good: '#86bfe6',
  attention: '#f2a36b',
  fault: '#ff8fa8',
  added: '#5aa5d6',
  banned: '#9cc4e4',
  already_member: '#4a83a8',
  failed: '#ef7d44',
  invalid: '#d9a83a',
  duplicate: '#868d96',
  unconfirmed: '#b48ad6',
  unprocessed: '#a0a7b0',
  changed: '#4fb3bf',
  removed: '#8fa6bd',
  unbanned: '#a3c27a',
  skipped: '#7b828c',
};

const TEXTURED = [
  'banned',
  'already_member',
  'failed',
  'invalid',
  'unconfirmed',
  'unprocessed',
  'changed',
  'removed',
  'unbanned',
  'skipped',
];
const PLAIN = ['added', 'duplicate'];

function variables(scheme: Readonly<Record<string, string>>): string {
  return Object.entries(scheme)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

export const STYLE = `
:root{color-scheme:light dark;${variables(LIGHT)}}
@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;font-variant-numeric:tabular-nums lining-nums}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
.kicker{margin:0;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
h1{margin:.4rem 0 1.5rem;font:400 clamp(1.45rem,1rem + 2vw,2.15rem)/1.25 Charter,"Bitstream Charter","Iowan Old Style",Georgia,"Liberation Serif",serif;text-wrap:balance}
h1.good{color:var(--good)}h1.attention{color:var(--attention)}h1.fault{color:var(--fault)}
h2{margin:0 0 .75rem;padding-top:.6rem;border-top:2px solid var(--ink);font-size:1.0625rem;line-height:1.3}
section{margin:2.75rem 0 0}
p{margin:0 0 .75rem}
.equation{color:var(--soft);overflow-wrap:anywhere}
.note,.axis,.example,.label span,td span,figcaption span{color:var(--soft);font-size:.875rem}
code{font:.875em/1.4 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
b{font-weight:600}
.defs{position:absolute}
.bar{display:block;overflow:hidden;border-radius:2px}
.swatch{vertical-align:-1px;margin-right:.15rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.75rem 0 1rem;padding:0;list-style:none;font-size:.9375rem}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:1rem 1.5rem;margin:0}
.facts dt{color:var(--soft);font-size:.8125rem}
.facts dd{margin:0;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse}
th,td{padding:.6rem 0 .6rem 1rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top;font-weight:400;overflow-wrap:anywhere}
th:first-child,td:first-child{padding-left:0}
thead th{padding-top:0;color:var(--soft);font-size:.8125rem;vertical-align:bottom}
.n{text-align:right;white-space:nowrap;width:1%;overflow-wrap:normal}
thead .n:first-child{text-align:right}
.bars .n{min-width:4.25rem}
.bars tbody .n{vertical-align:bottom}
.label{margin-bottom:.3rem}
.problem{display:grid;grid-template-columns:3fr 2fr;gap:.25rem 2rem}
.problem p{margin:0}
.what{font-weight:600}
.advice{font-size:.9375rem}
details{margin-top:1rem}
summary{cursor:pointer;color:var(--good)}
summary:focus-visible{outline:2px solid var(--good);outline-offset:2px}
figure{margin:0 0 1.75rem}
figcaption{margin-bottom:.25rem}
figure svg{display:block;overflow:visible}
.calls text{font-size:11px;fill:var(--soft)}
.axis{display:flex;justify-content:space-between;gap:1rem;margin:.25rem 0 0}
.axis time:last-child{text-align:right}
.grid{stroke:var(--rule)}.base{stroke:var(--soft)}
.median{stroke:var(--added);stroke-width:2}.whisker{stroke:var(--soft)}
.track{fill:var(--track)}.paper{fill:var(--paper)}
.ink{stroke:var(--paper);fill:none}.ink-fill{fill:var(--paper)}
${[...TEXTURED, ...PLAIN].map((outcome) => `.c-${outcome}{fill:var(--${outcome})}`).join('')}
${TEXTURED.map((outcome) => `.o-${outcome}{fill:url(#p-${outcome})}`).join('')}${PLAIN.map((outcome) => `.o-${outcome}{fill:var(--${outcome})}`).join('')}
.k-answered{fill:var(--added)}.k-limited{fill:url(#p-invalid)}.k-lost{fill:url(#p-failed)}
footer{margin-top:3rem;padding-bottom:2.5rem;color:var(--soft);font-size:.875rem}
@media (max-width:40rem){
header,main,footer{padding-left:1rem;padding-right:1rem}
header{padding-top:1.5rem}
.problem{grid-template-columns:1fr}
.sample{table-layout:fixed;font-size:.9375rem}
.sample .n{width:3.75rem}
.sample thead th:nth-child(2){width:38%}
th,td{padding-left:.75rem}
}
@media print{
:root{${variables(LIGHT)};--paper:#fff}
body{font-size:10.5pt}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
svg,.swatch{print-color-adjust:exact;-webkit-print-color-adjust:exact}
tr,figure,h2{break-inside:avoid}
h2{break-after:avoid}
thead{display:table-header-group}
}
`;
