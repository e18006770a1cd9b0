/**
 * One scale of sizes (a quarter larger each), one ink, and colours of Okabe and Ito, which people tell apart however they
 * see them; where many stand together, order and lightness say the same. Light and dark as the reader's system is.
 */
const light = `
  --paper:#fcfcfa; --panel:#f4f4f0; --ink:#1c1e21; --soft:#5b616b; --line:#dfe0dc;
  --c1:#0072b2; --c2:#c75a12; --c3:#00805e; --c4:#a9518a; --c5:#8a6d00; --c6:#4a9fd0; --rest:#a3a6ab;
  --s1:#cfe3f1; --s2:#a3c9e3; --s3:#74abd1; --s4:#468cbb; --s5:#1f6a9c; --s6:#0a466f;
  --scored:#0072b2; --invalid:#c75a12; --failed:#6f7379;`;
const dark = `
  --paper:#16181b; --panel:#1e2125; --ink:#e6e7e9; --soft:#9aa1ab; --line:#33373d;
  --c1:#5fb4ea; --c2:#f0945a; --c3:#4cc7a0; --c4:#dd9cc7; --c5:#d9b949; --c6:#9ad0f0; --rest:#6f7379;
  --s1:#16344a; --s2:#1d4c6d; --s3:#2a6a96; --s4:#438cbc; --s5:#79b4dc; --s6:#c3e0f4;
  --scored:#5fb4ea; --invalid:#f0945a; --failed:#9aa1ab;`;

const text = `
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1104px;margin:0 auto;padding:56px 32px 96px}
h1,h2,h3,h4,p,dl,dd,figure,blockquote,ul,ol{margin:0;padding:0}
h1{font-size:16px;font-weight:400;color:var(--soft)}
h1 strong{color:var(--ink);font-weight:600}
h2{font-size:25px;font-weight:600;line-height:1.25;letter-spacing:-.01em}
h3{font-size:16px;font-weight:600;margin:32px 0 8px}
h4{font-size:13px;font-weight:600;margin:24px 0 8px;color:var(--soft)}
.result{font-size:31px;line-height:1.3;font-weight:500;letter-spacing:-.015em;margin:12px 0 16px;max-width:34em;text-wrap:pretty;overflow-wrap:break-word}
.says{color:var(--soft);max-width:46em;margin:6px 0 24px;text-wrap:pretty}
.note,.more,.meta,.none,.key{font-size:13px;color:var(--soft)}
.none{font-style:italic}
section{margin-top:72px;border-top:1px solid var(--line);padding-top:24px}
code,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
pre{margin:8px 0 16px;padding:14px 16px;background:var(--panel);border-radius:6px;overflow-x:auto;line-height:1.5;unicode-bidi:isolate;tab-size:2}
.glance{display:grid;grid-template-columns:repeat(4,1fr);gap:32px 24px;margin-top:48px}
.glance dt{font-size:13px;color:var(--soft)}
.glance dd{font-size:25px;line-height:1.3;font-weight:500;letter-spacing:-.01em;white-space:nowrap}
.glance .more{font-size:13px;line-height:1.45;font-weight:400;letter-spacing:0;white-space:normal}
figcaption{font-size:16px;font-weight:600;margin-bottom:8px}
figure .says{font-size:13px;margin:-6px 0 12px}
.grid-of{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:40px 32px;margin-top:40px}
.grid-of.four{grid-template-columns:repeat(4,minmax(0,1fr));gap:24px}
.beside{display:grid;grid-template-columns:minmax(0,6fr) minmax(0,5fr);gap:24px 40px;align-items:start}
.facts{display:grid;grid-template-columns:repeat(4,1fr);gap:24px}
.facts dt{font-size:13px;color:var(--soft)}.facts dd{font-size:16px}
.scroll{overflow-x:auto;margin-top:16px}
table{border-collapse:collapse;font-size:13px;min-width:min(100%,320px)}
th{font-weight:400;color:var(--soft);text-align:left;white-space:nowrap}
th,td{padding:6px 24px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
tbody tr:last-child td{border-bottom:0}
thead th:empty{padding:0;border:0}
.num{text-align:right;white-space:nowrap}
.legend{width:100%;margin-top:4px}
.legend td{padding:2px 0 2px 8px;border:0;overflow-wrap:anywhere}
.legend td:first-child{padding-left:0}
.swatch{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:8px}
.key .swatch{margin-left:12px}.key .swatch:first-child{margin-left:0}
summary{cursor:pointer}
details>summary{font-size:13px}
section>details{margin-top:24px}
section>details>summary{color:var(--soft)}`;

const episodes = `
section>.episode{margin:0;border-bottom:1px solid var(--line)}
.episode>summary{display:grid;grid-template-columns:minmax(150px,1.4fr) minmax(110px,1fr) 70px 104px 52px;gap:16px;align-items:baseline;padding:12px 0;font-size:16px;list-style:none;color:var(--ink)}
.episode>summary::-webkit-details-marker{display:none}
.episode>summary::before{content:"";position:absolute}
.episode>summary:hover .why{text-decoration:underline;text-underline-offset:3px;text-decoration-thickness:1px}
.episode .family{color:var(--soft);overflow-wrap:anywhere}
.outcome{font-size:13px}.outcome.scored{color:var(--scored)}.outcome.invalid{color:var(--invalid)}.outcome.failed{color:var(--failed)}
.episode .reward{font-weight:600}
.episode[open]{padding-bottom:40px}
blockquote{font-size:16px;margin:8px 0 8px;padding-left:16px;border-left:3px solid var(--line);max-width:46em;white-space:pre-wrap;overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:minmax(260px,1fr) minmax(0,2fr);gap:24px 48px;margin-top:24px;align-items:start}
.pair .facts{grid-template-columns:repeat(2,minmax(0,1fr));gap:10px 24px}.pair .facts dd{font-size:13px}
.pair figure{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:0 32px}.pair figcaption{grid-column:1/-1;font-size:13px}
.file,.call{margin-top:8px}
.file>summary,.call>summary{padding:4px 0}
.moves{padding-left:28px;margin-top:8px}.moves>li{padding:8px 0 12px 4px}.moves>li::marker{color:var(--soft);font-size:13px}
.entry{font-size:13px;margin:4px 0}
.told{white-space:pre-wrap;overflow-wrap:anywhere;max-width:46em}
.findings{font-size:13px;padding-left:18px}.findings li{margin:4px 0;overflow-wrap:anywhere;max-width:60em}
.finding{font-size:13px;margin-top:12px;overflow-wrap:anywhere}
.share-bar+.note{margin-top:16px}
.share-bar{display:grid;grid-template-columns:repeat(3,1fr);gap:32px}
.share-bar svg{width:100%;height:6px}.share-bar p{font-size:13px;margin-top:8px;color:var(--soft)}.share-bar strong{font-size:20px;color:var(--ink);font-weight:500}
.scored .fill{fill:var(--scored)}.invalid .fill{fill:var(--invalid)}.failed .fill{fill:var(--failed)}`;

const colours = [...['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 's1', 's2', 's3', 's4', 's5', 's6'], 'rest']
  .map(
    (name) =>
      `.swatch.${name}{background:var(--${name})}rect.${name}{fill:var(--${name})}.line.${name}{stroke:var(--${name})}.dot.${name} circle:not(.reach){fill:var(--${name})}.row.${name}{--own:var(--${name})}`,
  )
  .join('\n');

const charts = `
svg{display:block;width:100%;height:auto;overflow:visible;font-size:12px}
svg text{fill:var(--ink)}
.tick,.label{fill:var(--soft)}
.grid{stroke:var(--line);stroke-width:1}
.axis{stroke:var(--soft);stroke-width:1}
.line{fill:none;stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
.line.faint{stroke:var(--rest);stroke-width:1.25}
.line.raw{stroke-width:1;opacity:.4}.dot.raw circle{opacity:.5}
.line.bold{stroke-width:3}.dot.bold{display:none}
.reach{fill:transparent}
.dot:hover circle:not(.reach){r:4.5;opacity:1}
.bar{fill:var(--c1)}.bar:hover,.part:hover{opacity:.75}
.slot{fill:var(--panel)}
.part{stroke:var(--paper);stroke-width:1}
.bound{stroke:var(--ink);stroke-width:1;stroke-dasharray:4 4}
.range circle{fill:var(--c2)}.whisker{stroke:var(--c2);stroke-width:2.5;stroke-linecap:round;opacity:.45}
.row .before{fill:var(--paper);stroke:var(--own);stroke-width:1.75}.row .after{fill:var(--own)}.row .gain{stroke:var(--own);stroke-width:2;opacity:.35}
.row:hover .reach{fill:var(--panel)}
.name,.value{font-size:13px}.value{font-variant-numeric:tabular-nums}
.narrow{display:none}`;

const narrow = `
@media (max-width:860px){
  .glance,.facts{grid-template-columns:repeat(2,1fr)}
  .pair,.beside{grid-template-columns:minmax(0,1fr)}
  .grid-of.four{grid-template-columns:repeat(2,minmax(0,1fr))}
}
@media (max-width:640px){
  main{padding:32px 20px 64px}
  .wide{display:none}.narrow{display:block}
  .result{font-size:20px;line-height:1.4}
  h2,.glance dd{font-size:20px}.glance .more{font-size:13px}
  .glance{gap:24px 16px;margin-top:32px}
  section{margin-top:48px}
  .grid-of,.grid-of.four{grid-template-columns:minmax(0,1fr)}
  .share-bar{grid-template-columns:1fr;gap:12px}
  .episode>summary{grid-template-columns:1fr auto auto;gap:0 12px}
  .episode .why{grid-column:1/3}.episode .reward{grid-column:3;grid-row:1}
  .episode .family{grid-column:1;grid-row:2;font-size:13px}.episode .outcome{grid-row:2}.episode .num:not(.reward){grid-row:2;font-size:13px}
  th,td{padding-right:10px}
}
@media print{section{break-inside:avoid}.episode{break-inside:auto}}`;

export const style = `:root{${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
${text}${episodes}
${charts}
${colours}${narrow}`;
