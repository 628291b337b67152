#include "lab/report/page/page_style.hpp"

#include "lab/report/page/charts.hpp"

namespace fearnet::lab::page {
namespace {

constexpr const char* kStyle = R"(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;
 overflow-wrap:anywhere}
header,main,footer{max-width:1220px;margin:0 auto;padding:0 20px}
header{padding-top:40px}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem;font-weight:650;letter-spacing:-.01em}
h2{font-size:1.35rem;line-height:1.25;margin:0 0 .2rem;font-weight:650}
h3{font-size:1rem;margin:1.8rem 0 .5rem;font-weight:650}
p{margin:.4rem 0;max-width:44rem}
a{color:var(--accent);text-underline-offset:.15em}
a:focus-visible,button:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.muted,caption,figcaption,.source{color:var(--muted);font-size:.875rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.35rem .5rem;margin:1.2rem 0 0;padding:0}
nav a{display:block;padding:.2rem .7rem;border:1px solid var(--rule);border-radius:99px;background:var(--panel);
 text-decoration:none;font-size:.9rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:12px;margin:1.4rem 0;padding:0}
.tiles div{display:flex;flex-direction:column;justify-content:space-between;background:var(--panel);border:1px solid var(--rule);border-radius:10px;padding:.7rem .9rem}
.tiles dt{color:var(--muted);font-size:.85rem}
.tiles dd{margin:0;font-size:1.5rem;font-weight:650;font-variant-numeric:tabular-nums}
section{background:var(--panel);border:1px solid var(--rule);border-radius:14px;padding:24px 26px;margin:26px 0}
.scroll{overflow-x:auto;margin:1rem 0;border-radius:6px;
 background:linear-gradient(to left,var(--panel) 16px,transparent 36px) 100% 0/36px 100% no-repeat local,
 linear-gradient(to left,rgba(128,128,128,.45),transparent) 100% 0/16px 100% no-repeat scroll}
table{border-collapse:separate;border-spacing:0;font-size:.9rem;line-height:1.35;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:0 0 .4rem;caption-side:top}
caption span{position:sticky;left:0;display:inline-block;max-width:min(100%,calc(100vw - 60px))}
th,td{padding:.45rem .7rem;text-align:right;vertical-align:top;white-space:nowrap;border-bottom:1px solid var(--rule)}
thead th{vertical-align:bottom;color:var(--muted);font-weight:600;border-bottom:1.5px solid var(--axis)}
thead th[colspan]{text-align:center;color:var(--ink);border-bottom:1px solid var(--rule)}
thead tr:first-child th:first-child,tbody th:first-child{text-align:left;position:sticky;left:0;background:var(--panel);z-index:1}
tbody th{font-weight:550}
thead+tbody tr:first-child.group th,.group th{padding-top:1rem;font-weight:650}
.group th span{position:sticky;left:.7rem}
.group small{color:var(--muted);font-weight:400;margin-left:.4rem}
.overview{font-size:.86rem}
.overview th,.overview td{padding:.4rem .3rem}
.overview .paper{font-size:.7rem}
.overview td:nth-child(3n+2){border-left:1px solid var(--rule)}
.sub{font-size:.85em;font-weight:500}
.ours,.paper{display:block}
.ours small{color:var(--muted)}
.paper{font-size:.8rem;color:var(--muted)}
.best{background:var(--best)}
.none{color:var(--muted)}
.w{text-align:left}
.runs,.options{font-size:.82rem}
.options th,.options td{text-align:left;white-space:normal;font-weight:400}
figure{margin:1.2rem 0}
figcaption{margin-top:.3rem}
svg.chart{display:block;width:100%;max-width:900px;height:auto}
svg.narrow{display:none;max-width:420px}
.claims{list-style:none;margin:.6rem 0;padding:0}
.claims li{display:grid;grid-template-columns:8.6rem 1fr;gap:.2rem .8rem;padding:.6rem 0;border-top:1px solid var(--rule)}
.claims li:first-child{border-top:0}
.claims p{margin:0}
.verdict{justify-self:start;align-self:start;border-radius:99px;padding:.05rem .7rem;font-size:.85rem;font-weight:600;white-space:nowrap}
.holds{background:var(--good-bg);color:var(--good)}
.fails{background:var(--bad-bg);color:var(--bad)}
.open{background:var(--open-bg);color:var(--ink)}
.missing{margin:.5rem 0;padding-left:1.2rem;font-size:.92rem}
details{margin:.5rem 0;border-top:1px solid var(--rule);padding-top:.5rem}
details details{margin-left:1rem}
summary{cursor:pointer;font-size:.92rem;padding:.15rem 0}
button{font:inherit;font-size:.85rem;color:var(--ink);background:var(--panel);border:1px solid var(--rule);border-radius:99px;
 padding:.2rem .8rem;cursor:pointer;white-space:nowrap;flex:none}
.top{display:flex;justify-content:space-between;align-items:flex-start;gap:1rem}
footer{padding-bottom:50px}
@media (max-width:640px){
 header,main,footer{padding-left:12px;padding-right:12px}
 header{padding-top:22px}
 h1{font-size:1.5rem}
 nav ul{gap:.3rem}
 nav a{font-size:.82rem;padding:.2rem .6rem}
 .tiles{grid-template-columns:repeat(3,1fr);gap:8px}
 .tiles div{padding:.5rem .6rem}
 .tiles dt{font-size:.75rem;line-height:1.3}
 .tiles dd{font-size:1.25rem}
 section{padding:18px 14px;margin:16px 0;border-radius:10px}
 th,td{padding:.4rem .5rem}
 tbody th:first-child{white-space:normal;overflow-wrap:normal;max-width:8.4rem}
 .group th{max-width:none!important}
 .claims li{grid-template-columns:1fr}
 svg.wide{display:none}
 svg.narrow{display:block}
}
@media print{
 body{font-size:10.5pt}
 header,main,footer{max-width:none;padding:0}
 nav,button{display:none}
 section{border:0;padding:0;margin:0 0 18pt;border-radius:0}
 .scroll{overflow:visible}
 table{font-size:7.5pt}
 th,td{padding:2pt 3pt}
 .paper{font-size:7pt}
 .overview{font-size:7.5pt}
 .overview th,.overview td{padding:2pt 3pt}
 .overview .paper{font-size:6.5pt}
 .overview .diff{display:block}
 .tiles{grid-template-columns:repeat(6,1fr);gap:6pt}
 .tiles div{padding:4pt 6pt}
 .tiles dt{font-size:8pt;line-height:1.3}
 .tiles dd{font-size:12pt}
 thead tr:first-child th:first-child,tbody th:first-child,.group th span,caption span{position:static}
 figure,tr,.claims li{break-inside:avoid}
 h2,h3{break-after:avoid}
 svg.wide{display:block}svg.narrow{display:none}
}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
)";

}  // namespace

std::string page_style() {
    const std::string light = kLightColors, dark = kDarkColors;
    return ":root{color-scheme:light;" + light +
           "}\n@media (prefers-color-scheme:dark){:root:not([data-theme=light]){" + "color-scheme:dark;" +
           dark + "}}\n:root[data-theme=dark]{color-scheme:dark;" + dark + "}\n" + kStyle + kChartStyle +
           "@media print{:root:root:root{color-scheme:light;" + light + ";--bg:#fff}}\n";
}

// Comfort only: the page says the same without it.
const char* const kPageScript = R"js((function(){
var root=document.documentElement,button=document.getElementById("theme");
if(button&&window.matchMedia){
 var dark=matchMedia("(prefers-color-scheme:dark)");
 var isDark=function(){return root.dataset.theme?root.dataset.theme==="dark":dark.matches};
 var name=function(){button.textContent=isDark()?"Light":"Dark"};
 button.hidden=false;name();
 button.addEventListener("click",function(){root.dataset.theme=isDark()?"light":"dark";name()});
}
})();)js";

}  // namespace fearnet::lab::page
