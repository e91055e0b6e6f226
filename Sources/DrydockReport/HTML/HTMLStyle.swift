/// The style sheet and the script of every page. Neither holds a character that XML would read as markup.
enum HTMLStyle {
    static let text = """
        :root {
          color-scheme: light dark;
          --paper: #fcfbf8; --ink: #1c2127; --soft: #626973; --line: #e4e0d7; --wash: #f3f0e9;
          --accent: #1b5e86; --bad: #ad2a1f; --bad-wash: #f9e3df; --warn: #855400; --warn-wash: #f8ecd0;
          --good: #2c6a43; --good-wash: #e2efe5;
          --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, monospace;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #15181b; --ink: #e5e3de; --soft: #9ba2ab; --line: #2d3237; --wash: #1c2024;
            --accent: #86bfe2; --bad: #ff9187; --bad-wash: #45211e; --warn: #e9bc62; --warn-wash: #3a2f17;
            --good: #85c99c; --good-wash: #1c3324;
          }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
        body {
          margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
          font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, Inter, sans-serif;
        }
        main, header, footer, nav { max-width: 74rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 3rem); }
        h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
        h1 { font-size: clamp(2rem, 5vw, 3rem); letter-spacing: -.025em; margin: .2rem 0 .6rem; font-weight: 700; }
        h2 { font-size: 1.45rem; letter-spacing: -.012em; margin: 4rem 0 .4rem; }
        h3 { font-size: 1.1rem; margin: .1rem 0 .5rem; font-weight: 600; }
        ul + h3 { margin-top: 1.4rem; }
        p { margin: .5rem 0; max-width: 46rem; }
        a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: .06em; }
        :focus-visible { outline: .15rem solid var(--accent); outline-offset: .15rem; border-radius: .15rem; }
        code, pre, .sql, .path { font-family: var(--mono); font-size: .875em; }
        .soft { color: var(--soft); }
        .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
        .skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; }

        header { padding-top: clamp(1.5rem, 5vw, 3.5rem); }
        .brand { color: var(--soft); font-size: .875rem; margin: 0; }
        .lead { font-size: 1.2rem; max-width: 52rem; }
        .facts { display: flex; flex-wrap: wrap; gap: 1.4rem 2.8rem; margin: 1.8rem 0 0; padding: 0; }
        .facts div { display: flex; flex-direction: column-reverse; }
        .facts dt { color: var(--soft); font-size: .8125rem; }
        .facts dd { margin: 0; font-size: 1.45rem; font-weight: 600; line-height: 1.25; font-variant-numeric: tabular-nums; }
        .facts dd.word { font-size: 1.1rem; }
        nav { margin-top: 2rem; }
        nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; list-style: none; margin: 0; padding: .7rem 0;
          border-block: 1px solid var(--line); font-size: .9375rem; }
        nav a { text-decoration: none; }

        .gaps { margin: .8rem 0 0; padding: 0; list-style: none; max-width: 58rem; }
        .gaps li { padding: .45rem 0 .45rem 1.7rem; text-indent: -1.7rem; border-bottom: 1px solid var(--line); }
        .gaps li > * { text-indent: 0; }
        .gaps .mark { display: inline-block; width: 1.7rem; color: var(--warn); font-weight: 700; }

        .wide { overflow-x: auto; margin-inline: calc(-1 * clamp(1rem, 4vw, 3rem)); padding: .2rem clamp(1rem, 4vw, 3rem) .6rem; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th { font-weight: 600; text-align: left; }
        .matrix { font-size: .875rem; line-height: 1.3; border-spacing: 2px; border-collapse: separate; margin-left: -2px; }
        .matrix thead th { vertical-align: bottom; padding: .2rem .35rem .4rem; font-size: .8125rem; } .matrix thead th:first-child { padding-left: 0; }
        .matrix thead th span { display: block; font-weight: 400; color: var(--soft); }
        .matrix tbody th { font: .8125rem/1.3 var(--mono); padding: .3rem .9rem .3rem 0; min-width: min(14rem, 36vw); max-width: 24rem; position: sticky; left: 0; background: var(--paper); }
        .matrix td { min-width: 1.5rem; height: 1.65rem; padding: .1rem .35rem; text-align: center; border-radius: .2rem; white-space: nowrap; }
        .matrix:not(.tiny) thead th { min-width: 5.5rem; }
        .matrix td b { font-weight: 700; }
        .matrix td small { color: var(--soft); font-size: .75rem; margin-left: .35rem; }
        .matrix th small { display: block; color: var(--soft); font: .75rem/1.4 system-ui, sans-serif; }
        .matrix th i { display: block; height: .15rem; background: var(--accent); width: var(--w); border-radius: .1rem; opacity: .6; }
        .matrix a { color: inherit; text-decoration: none; display: block; }
        .matrix tr.end > * { border-top: 1px solid var(--line); border-radius: 0; }
        td.p { background: var(--good-wash); color: var(--good); }
        td.w { background: var(--warn-wash); color: var(--warn); }
        td.e { background: var(--bad-wash); color: var(--bad); }
        td.a { color: var(--line); }
        td.n { color: var(--warn); background: repeating-linear-gradient(135deg, var(--wash) 0 .25rem, transparent .25rem .5rem); }
        .tiny td { padding: 0; }
        .tiny thead th { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; vertical-align: top; max-height: 11rem; padding: .4rem 0; }
        .tiny thead th.flat { writing-mode: initial; transform: none; vertical-align: bottom; }
        .key { display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; font-size: .8125rem; color: var(--soft); padding: 0; margin: .6rem 0 0; list-style: none; }
        .key b { display: inline-block; min-width: 1.3rem; text-align: center; margin-right: .35rem; border-radius: .2rem; }
        .key b.p { background: var(--good-wash); color: var(--good); } .key b.w { background: var(--warn-wash); color: var(--warn); }
        .key b.e { background: var(--bad-wash); color: var(--bad); } .key b.n { color: var(--warn); background: var(--wash); }

        .filter { font-size: .875rem; color: var(--soft); display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin: .2rem 0 1rem; }
        .filter label { cursor: pointer; } .filter input { accent-color: var(--accent); margin: 0 .35rem 0 0; }
        #findings:has(#show-error:not(:checked)) .finding.error, #findings:has(#show-warning:not(:checked)) .finding.warning,
        #findings:has(#show-note:not(:checked)) .finding.note { display: none; }
        .finding { display: grid; grid-template-columns: 2.6rem minmax(0, 1fr); padding: 1.7rem 0 1.4rem; border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 20rem; }
        .finding > .mark { font-size: 1.15rem; font-weight: 700; line-height: 1.4; }
        .error > .mark { color: var(--bad); } .warning > .mark { color: var(--warn); } .note > .mark { color: var(--accent); }
        .finding .label { font-size: .8125rem; color: var(--soft); margin: 0; max-width: none; }
        .finding .label b { font-weight: 600; } .error .label b { color: var(--bad); } .warning .label b { color: var(--warn); } .note .label b { color: var(--accent); }
        .tag { white-space: nowrap; border-bottom: 1px dotted var(--soft); }
        pre { margin: .7rem 0; white-space: pre-wrap; line-height: 1.55; tab-size: 4; }
        .sql { background: var(--wash); padding: .7rem 0; border-radius: .3rem; max-width: 62rem; overflow-wrap: anywhere; }
        .sql span.l { display: block; padding: 0 1rem 0 3.6rem; position: relative; min-height: 1.55em; }
        .sql span.l::before { content: attr(data-n); position: absolute; left: 0; width: 2.8rem; text-align: right; color: var(--soft); opacity: .75; }
        .sql span.here { background: color-mix(in srgb, var(--bad) 9%, transparent); box-shadow: inset .2rem 0 var(--bad); }
        .warning .sql span.here { background: color-mix(in srgb, var(--warn) 11%, transparent); box-shadow: inset .2rem 0 var(--warn); }
        .note .sql span.here { background: color-mix(in srgb, var(--accent) 10%, transparent); box-shadow: inset .2rem 0 var(--accent); }
        .k { color: var(--accent); font-weight: 600; } .c { color: var(--soft); font-style: italic; } .s { color: var(--good); }
        .rows { font-size: .875rem; margin: .8rem 0; max-width: 100%; }
        .rows th { color: var(--soft); font-size: .8125rem; font-weight: 500; padding: .15rem 1.6rem .25rem 0; border-bottom: 1px solid var(--line); }
        .rows td { padding: .3rem 1.6rem .3rem 0; border-bottom: 1px solid var(--line); font-family: var(--mono); font-size: .8125rem; vertical-align: top; }
        .rows td:first-child { min-width: 4.5rem; } .rows td.old, .rows td.new, .rows td.gone { min-width: 6rem; }
        .rows .old { color: var(--bad); } .rows .new { color: var(--good); } .rows .gone { font-style: italic; color: var(--soft); font-family: inherit; }
        .rows small { color: var(--soft); font-family: inherit; margin-left: .4rem; }
        .more { font-size: .8125rem; color: var(--soft); }
        .todo { display: grid; grid-template-columns: 6.2rem minmax(0, 1fr); gap: .25rem 0; margin: .9rem 0 0; max-width: 60rem; }
        .todo dt { color: var(--soft); font-size: .875rem; padding-top: .08rem; }
        .todo dd { margin: 0; } .todo dd p:first-child, .todo dd pre:first-child { margin-top: 0; }
        .todo pre { border-left: .15rem solid var(--accent); padding-left: .9rem; margin: .4rem 0 .6rem; }
        details { margin: .7rem 0; }
        dd > details:first-child { margin: 0; }
        summary { cursor: pointer; color: var(--accent); width: fit-content; max-width: 100%; }
        summary:hover { text-decoration: underline; text-underline-offset: .15em; }

        .list { width: 100%; font-size: .9375rem; }
        .list th { font-size: .8125rem; color: var(--soft); font-weight: 500; padding: .4rem 1.2rem .4rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
        .list td { padding: .5rem 1.2rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
        .list .num { text-align: right; white-space: nowrap; }
        .list th button { all: unset; cursor: pointer; } .list th button:focus-visible { outline: .15rem solid var(--accent); }
        th[aria-sort=ascending] button::after { content: " ↑"; } th[aria-sort=descending] button::after { content: " ↓"; }

        .changes { list-style: none; margin: 0; padding: 0; font-size: .9375rem; }
        .changes li { padding-left: 1.4rem; text-indent: -1.4rem; } .changes b { display: inline-block; width: 1.4rem; text-indent: 0; font-family: var(--mono); }
        .changes .clause { display: block; text-indent: 0; color: var(--soft); }
        svg text { font: 11px var(--mono); fill: var(--ink); } svg .soft { fill: var(--soft); } svg .line { stroke: var(--soft); fill: none; }

        .timeline { list-style: none; margin: 1.6rem 0 0; padding: 0; }
        .timeline > li { position: relative; padding: 0 0 1.1rem 1.7rem; border-left: .125rem solid var(--line); margin-left: .4rem; }
        .timeline > li:last-child { border-color: transparent; padding-bottom: 0; }
        .timeline > li::before { content: ""; position: absolute; left: -.47rem; top: .45rem; width: .8rem; height: .8rem; border-radius: 50%; background: var(--soft); border: .15rem solid var(--paper); }
        .timeline > li.pending::before { background: var(--paper); border-color: var(--accent); }
        .timeline > li.same::before { width: .5rem; height: .5rem; left: -.32rem; top: .6rem; border: 0; background: var(--line); }
        .timeline > li.same.pending::before { background: var(--accent); }
        .timeline details, .timeline p { margin: 0; } .timeline summary { color: var(--ink); width: auto; }
        .timeline summary .path { color: var(--accent); } .timeline .same, .timeline .same summary { color: var(--soft); font-size: .9375rem; }
        .timeline .file { color: var(--soft); font-size: .8125rem; margin: .1rem 0 .5rem; max-width: none; }
        .timeline h3 { font: 600 .875rem/1.4 var(--mono); margin: .7rem 0 .1rem; } .timeline .changes { font-size: .875rem; }
        .gist { display: inline-flex; flex-wrap: wrap; gap: 0 .9rem; margin-left: .5rem; font-size: .875rem; color: var(--soft); }
        .gist b { font-family: var(--mono); }
        .state { font-size: .75rem; color: var(--soft); } .state.new { color: var(--accent); border: 1px solid currentColor; border-radius: 1rem; padding: .05rem .5rem; }
        .diagram { margin-block: .6rem; } .diagram svg { display: block; max-width: 100%; height: auto; }
        .timeline .diagram { margin-left: 0; padding-left: 0; }
        .diagram text { font: 12px var(--mono); white-space: pre; } .diagram .n { font-weight: 700; }
        .diagram .y { font-size: 11px; font-weight: 400; fill: var(--soft); text-anchor: end; } .diagram .o { font-size: 10.5px; fill: var(--soft); }
        .diagram .k { font-size: 10px; font-weight: 700; fill: var(--accent); } .diagram .g { font-weight: 700; }
        .diagram .f { fill: var(--paper); stroke: var(--line); stroke-width: 1.5; } .diagram .h { fill: var(--wash); }
        .diagram .pla > .f, .diagram .mod > .f { stroke: var(--soft); }
        .diagram .bes > text, .diagram .bes tspan { fill: var(--soft); }
        .diagram .add > .f { stroke: var(--good); } .diagram .add > .h, .diagram .add > .r { fill: var(--good-wash); } .diagram .add > text .g { fill: var(--good); }
        .diagram .del > .f { stroke: var(--bad); stroke-dasharray: 5 3; } .diagram .del > .h, .diagram .del > .r { fill: var(--bad-wash); } .diagram .del > text .g { fill: var(--bad); }
        .diagram .del > text tspan:not(.g) { text-decoration: line-through; }
        .diagram .mod > .f { stroke: var(--warn); } .diagram .mod > .h, .diagram .mod > .r { fill: var(--warn-wash); } .diagram .mod > text .g { fill: var(--warn); }
        .diagram .mis > .f { stroke: var(--bad); stroke-dasharray: 2 3; } .diagram .mis > text .g { fill: var(--bad); }
        .diagram .e path { fill: none; stroke: var(--soft); stroke-width: 1.4; } .diagram .e .a { fill: var(--soft); stroke: none; } .diagram circle { fill: var(--soft); }
        .diagram .e.bes path { stroke: var(--line); } .diagram .e.bes .a, .diagram .e.bes circle { fill: var(--line); }
        .diagram .e.add path { stroke: var(--good); } .diagram .e.add .a, .diagram .e.add circle { fill: var(--good); }
        .diagram .e.del path { stroke: var(--bad); stroke-dasharray: 5 3; } .diagram .e.del .a, .diagram .e.del circle { fill: var(--bad); }
        .diagram .e.mod path { stroke: var(--warn); } .diagram .e.mod .a, .diagram .e.mod circle { fill: var(--warn); }
        .diagram .e:hover path { stroke-width: 2.6; }

        footer { margin-top: 5rem; padding-block: 1.2rem 3rem; color: var(--soft); font-size: .8125rem; }
        footer div { border-top: 1px solid var(--line); padding-top: 1rem; }

        @media (max-width: 44rem) {
          h2 { margin-top: 3rem; }
          .facts { gap: 1rem 1.8rem; } .facts dd { font-size: 1.2rem; }
          .finding { grid-template-columns: 1.7rem minmax(0, 1fr); }
          .sql span.l { padding-left: 2.9rem; } .sql span.l::before { width: 2.1rem; }
          .todo { grid-template-columns: minmax(0, 1fr); } .todo dd { margin-bottom: .6rem; }
          .matrix td small { display: none; } .matrix td { padding: 0; min-width: 1.35rem; }
          .matrix tbody th { max-width: 11rem; padding-right: .4rem; font-size: .75rem; }
          .matrix:not(.tiny) thead th { min-width: 0; }
          .matrix thead th { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 9rem; padding: .3rem 0; vertical-align: top; }
          .matrix thead th.flat { writing-mode: initial; transform: none; vertical-align: bottom; }
          .list thead { display: none; } .list, .list tbody, .list tr, .list td { display: block; }
          .list tr { border-bottom: 1px solid var(--line); padding: .6rem 0; } .list td { border: 0; padding: .05rem 0; }
          .list .num { text-align: left; } .list td[data-n]::before { content: attr(data-n) " "; color: var(--soft); font-size: .8125rem; }
        }
        @media print {
          :root { color-scheme: light; --paper: #fff; --wash: #f5f5f5; }
          body { font-size: 10pt; } nav, .filter, .skip { display: none; }
          .finding { break-inside: avoid; content-visibility: visible; } h2, h3 { break-after: avoid; } .wide { overflow: visible; }
          .diagram svg { min-width: 0 !important; } .timeline > li { break-inside: avoid-page; } .wide > table { zoom: .8; }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }
        @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
        .map { width: 100%; height: auto; display: block; margin: .8rem 0; }
        .map text { font: 12px system-ui, sans-serif; fill: var(--ink); }
        .map .t0 { fill: var(--accent); fill-opacity: .34; } .map .t1 { fill: var(--accent); fill-opacity: .16; }
        .map .empty { fill: var(--paper); fill-opacity: .6; stroke: none; }
        .map .free { fill: var(--warn); fill-opacity: .22; } .map rect { stroke: var(--paper); stroke-width: 2; }
        .pages { width: 100%; max-width: 60rem; height: auto; display: block; margin: .6rem 0 1.6rem; }
        .key .dot { min-width: .9rem; height: .9rem; line-height: .9rem; background: currentColor; }
        .o0 { fill: #3f7fb5; color: #3f7fb5; } .o1 { fill: #d08a3c; color: #d08a3c; } .o2 { fill: #5a9e5f; color: #5a9e5f; }
        .o3 { fill: #a871ad; color: #a871ad; } .o4 { fill: #4fb0ae; color: #4fb0ae; } .o5 { fill: #b8a23a; color: #b8a23a; }
        .o6 { fill: #b9635f; color: #b9635f; } .rest { fill: var(--soft); color: var(--soft); }
        .none { fill: var(--line); color: var(--line); }
        .pages .free, .key .free { fill: var(--warn-wash); color: var(--warn-wash); stroke: var(--warn); }
        .v0 { fill: var(--accent); fill-opacity: .08; } .v1 { fill: var(--accent); fill-opacity: .2; }
        .v2 { fill: var(--accent); fill-opacity: .32; } .v3 { fill: var(--accent); fill-opacity: .44; }
        .v4 { fill: var(--accent); fill-opacity: .57; } .v5 { fill: var(--accent); fill-opacity: .7; }
        .v6 { fill: var(--accent); fill-opacity: .85; } .v7 { fill: var(--accent); }
        """

    /// Sorts tables when a heading is pressed.
    static let script = """
        (function () {
          document.querySelectorAll("table.list").forEach(function (table) {
            table.querySelectorAll("thead th").forEach(function (head, column) {
              var button = document.createElement("button");
              button.append(head.textContent);
              head.replaceChildren(button);
              button.addEventListener("click", function () {
                var down = head.getAttribute("aria-sort") === "ascending";
                table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
                head.setAttribute("aria-sort", down ? "descending" : "ascending");
                var body = table.tBodies[0];
                var value = function (row) {
                  var cell = row.cells[column];
                  return cell.dataset.v || cell.textContent;
                };
                var rows = Array.from(body.rows).sort(function (a, b) {
                  return value(a).localeCompare(value(b), "en", { numeric: true }) * (down ? -1 : 1);
                });
                body.append.apply(body, rows);
              });
            });
          });
        })();
        """
}
