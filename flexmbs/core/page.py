"""Pieces of HTML for reports: page frame with its style, tables, marks, numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["badge", "definition_list", "html_table", "number", "page", "paragraphs", "rate_text", "seconds"]

_FEW_DIGITS = 3
_PLAIN_FROM, _PLAIN_TO = 0.01, 1e4
_MARKS = {"pass": ("✓", "pass"), "fail": ("✗", "fail"), "error": ("!", "error")}


def page(title: str, body: str) -> str:
    """A whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>{body}</body></html>\n"
    )


def badge(status: str) -> str:
    """A mark that is told by its sign and word, not by colour alone."""
    sign, word = _MARKS[status]
    return f'<span class="badge {status}"><span aria-hidden=true>{sign}</span> {word}</span>'


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = (), css: str = "") -> str:
    """A table of HTML cells; ``numeric`` columns are set flush right in tabular figures.

    Of the classes ``index`` and ``stack`` cells know their heading, which stands beside them where a page is narrow.
    """
    known = (
        [escape(re.sub("<[^>]*>", "", text), quote=True) for text in header]
        if {"index", "stack"} & set(css.split())
        else []
    )

    def cells(tag: str, row: Sequence[str]) -> str:
        labels = [f' data-of="{text}"' for text in known] if known and tag == "td" else [""] * len(row)
        return "".join(
            f"<{tag}{' class=n' if i in numeric else ''}{label}>{cell}</{tag}>"
            for i, (cell, label) in enumerate(zip(row, labels, strict=True))
        )

    lines = "".join(f"<tr>{cells('td', row)}</tr>\n" for row in rows)
    head = f"<thead><tr>{cells('th', header)}</tr></thead>"
    return f'<div class=scroll><table class="{css}">{head}<tbody>\n{lines}</tbody></table></div>'


def definition_list(items: Iterable[tuple[str, str]]) -> str:
    """Names and what belongs to them."""
    return (
        "<dl>" + "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in items) + "</dl>"
    )


def paragraphs(text: str) -> str:
    """Plain text as paragraphs, parted at blank lines."""
    return "".join(f"<p>{escape(' '.join(part.split()))}</p>" for part in text.split("\n\n") if part.strip())


def number(value: object, digits: int = 6) -> str:
    """A number with so many significant digits and a readable power of ten; other things as text."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return "–" if value is None else escape(str(value))
    if isinstance(value, int):
        return str(value)
    real = float(value)
    if not math.isfinite(real):
        return "not a number" if math.isnan(real) else "infinite"
    scientific = real != 0.0 and (digits <= _FEW_DIGITS) and not _PLAIN_FROM <= abs(real) < _PLAIN_TO
    keep = "#" if digits <= _FEW_DIGITS and real != 0.0 else ""  # 0.0130 beside 0.0261
    text = f"{real:.{digits - 1}e}" if scientific else f"{real:{keep}.{digits}g}".removesuffix(".")
    mantissa, _, exponent = text.replace("-", "\N{MINUS SIGN}").partition("e")
    power = exponent.lstrip("+").replace("\N{MINUS SIGN}0", "\N{MINUS SIGN}").lstrip("0")
    return f"{mantissa}·10<sup>{power}</sup>" if power else mantissa


def rate_text(rate: float) -> str:
    """An order of convergence."""
    return f"{rate:.2f}" if math.isfinite(rate) else "not measurable"


def seconds(value: float) -> str:
    """A duration."""
    text = f"{value * 1e3:.0f} ms" if value < 0.9995 else f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"
    return text.replace(" ", "\N{NO-BREAK SPACE}")


_STYLE = """
:root{--ink:#1d2733;--soft:#55606d;--line:#d9dee5;--wash:#f5f7f9;--blue:#1f5fa8;
 --good:#176b3a;--bad:#a8201a;--warn:#8a4b00}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:2.2rem 1.5rem 4rem;max-width:60rem;color:var(--ink);background:#fff;
 font:16px/1.55 "Source Sans 3","Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",Arial,sans-serif}
a{color:var(--blue);text-decoration:none}
a:hover,a:focus{text-decoration:underline}
code,pre{font-family:Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;font-size:.88em}
nav{display:grid;grid-template-columns:1fr auto 1fr;gap:1rem;font-size:.9rem;
 padding-bottom:1rem;border-bottom:1px solid var(--line);margin-bottom:1.8rem}
nav span:last-child{text-align:right}
header{margin-bottom:2rem}
.kicker{margin:0;color:var(--soft);font-size:.95rem}
h1{font-size:2rem;line-height:1.2;margin:.15rem 0 .8rem;font-weight:650;letter-spacing:-.01em;text-wrap:balance}
h2{font-size:1.2rem;margin:2.2rem 0 .6rem;font-weight:650}
p{margin:.5rem 0;max-width:44rem}
li{max-width:44rem}
ul{padding-left:1.3rem;margin:.4rem 0}
.lead{color:var(--soft)}
.verdict{display:flex;align-items:center;gap:.7rem;margin:.4rem 0}
.badge{display:inline-block;white-space:nowrap;font-size:.82rem;font-weight:650;line-height:1;
 padding:.28rem .55rem;border-radius:.3rem;border:1px solid}
.badge.pass{color:var(--good);background:#eef7f1;border-color:#b9dcc6}
.badge.fail{color:#fff;background:var(--bad);border-color:var(--bad)}
.badge.error{color:var(--warn);background:#fff4e0;border-color:var(--warn);border-style:dashed}
.notice{border-left:4px solid var(--bad);background:#fdf3f2;padding:.6rem 1rem;margin:1.2rem 0}
.notice h2{margin:.2rem 0}
.scroll{overflow-x:auto;margin:.8rem 0}
table{border-collapse:collapse;min-width:50%;font-size:.92rem;font-variant-numeric:tabular-nums lining-nums}
table.wide{width:100%}
th{font-weight:600;text-align:left;vertical-align:bottom;color:var(--soft);font-size:.85rem;line-height:1.3;
 border-bottom:1.5px solid var(--ink)}
th,td{padding:.42rem .7rem}
th:first-child,td:first-child{padding-left:.2rem}
th:last-child,td:last-child{padding-right:.3rem}
td{border-bottom:1px solid var(--line);vertical-align:top}
tbody tr:hover{background:var(--wash)}
.n{text-align:right;white-space:nowrap}
td small{color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:1rem;margin:1rem 0 .5rem}
.cards a{display:block;border:1px solid var(--line);border-radius:.4rem;padding:.6rem;color:var(--ink)}
.cards a:hover,.cards a:focus{border-color:var(--blue);text-decoration:none}
.cards svg{display:block;width:100%;height:9rem}
.cards span{display:block;font-size:.88rem;line-height:1.3;margin-top:.4rem}
table.index th.n{white-space:normal}
table.index th:nth-child(1){width:14%}
table.index th:nth-child(n+3){width:9%}
table.index th:nth-child(4),table.index th:nth-child(5){width:13%}
sup{font-size:.72em;line-height:0}
.equation{overflow-x:auto;padding:.5rem 0 .5rem 1.6rem}
.equation svg{display:block;max-width:none}
figure{margin:1.4rem 0;text-align:center}
figure svg{max-width:100%;height:auto}
figcaption{color:var(--soft);font-size:.9rem;margin:.3rem auto 0;max-width:40rem}
.study{margin-bottom:1.6rem}
.pair{display:grid;grid-template-columns:minmax(0,3fr) minmax(15rem,2fr);gap:1.6rem;align-items:center}
.pair figure{margin:0}
.pair table{width:100%}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.1rem 1.5rem;
 margin:.6rem 0;font-size:.92rem}
dl div{display:flex;justify-content:space-between;gap:.5rem;border-bottom:1px solid var(--line);padding:.25rem 0}
dt{color:var(--soft)}
dd{margin:0;text-align:right}
pre{background:var(--wash);border:1px solid var(--line);border-radius:.3rem;padding:.8rem 1rem;
 overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
@media (max-width:46rem){
 body{padding:1.2rem .9rem 3rem}
 .pair{grid-template-columns:1fr}
 h1{font-size:1.6rem}
 nav{display:block}
 nav span{display:none}
 .cards{grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.6rem}
 .cards svg{height:7rem}
 :is(.index,.stack),:is(.index,.stack) tbody{display:block}
 :is(.index,.stack) thead{display:none}
 :is(.index,.stack) tr{display:block;border-bottom:1px solid var(--line);padding:.6rem 0}
 :is(.index,.stack) td{display:block;min-height:1.5em;border:0;padding:.1rem 0;text-align:right;
  white-space:normal;overflow-wrap:anywhere}
 :is(.index,.stack) td::before{content:attr(data-of);color:var(--soft);float:left;margin-right:1rem}
 .index td:nth-child(-n+2),.stack td:first-child{display:block;text-align:left}
 .index td:nth-child(-n+2)::before,.stack td:first-child::before{content:none}
}
@page{size:A4;margin:18mm 16mm}
@media print{
 body{max-width:none;padding:0;font-size:10pt}
 nav{display:none}
 h1{font-size:18pt}
 h2{font-size:12pt;margin-top:14pt;break-after:avoid}
 a{color:inherit}
 tr,figure,.study,.notice,.equation{break-inside:avoid}
 thead{display:table-header-group}
 .scroll{overflow:visible}
 table{font-size:8.5pt}
 th{font-size:8pt}
 th,td{padding:2.5pt 4pt}
 .badge{-webkit-print-color-adjust:exact;print-color-adjust:exact;font-size:8pt;padding:2pt 4pt}
 .pair{grid-template-columns:3fr 2fr}
 pre{font-size:7.5pt}
 tbody tr:hover{background:none}
}
"""
