"use strict";
// All texts go in by textContent: nothing from a trace is ever parsed as markup.
document.documentElement.classList.add("js");
const $ = (root, one) => root.querySelector(one), $$ = (root, all) => [...root.querySelectorAll(all)];
const el = (tag, text, css) => { const made = document.createElement(tag); if (text) made.textContent = text; if (css) made.className = css; return made; };
const SVG = "http://www.w3.org/2000/svg";
function time(ns) {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)} ns`;
  const [scale, unit] = size < 999950 ? [1e3, "us"] : size < 999950000 ? [1e6, "ms"] : [1e9, "s"];
  return `${(ns / scale).toFixed(size / scale < 10 ? 2 : 1)} ${unit}`;
}
const signed = ns => ns ? (ns > 0 ? "+" : "\u2212") + time(Math.abs(ns)) : "0";

function article(root) {
  const data = JSON.parse($(root, "script.data").textContent), prefix = root.dataset.prefix;
  const text = i => data.texts[i];
  const summed = steps => { let at = 0; return steps.map(step => at += step); };
  data.events.forEach(e => { e.start = summed(e.start); e.launch = e.delay.map((delay, i) => delay === null ? null : e.start[i] - delay); });
  data.cpu.flat().forEach(c => { c.start = summed(c.start); });
  const members = data.matches.map(() => [[], []]);
  data.events.forEach((side, s) => side.match.forEach((m, i) => m >= 0 && members[m][s].push(i)));
  const table = $(root, "table.events") && eventTable(root, data, members, text, prefix);
  if ($(root, ".stage")) timeline($(root, ".stage"), data, members, text, prefix, m => table && table.reveal(m, true));
  $$(root, ".top a").forEach(a => a.addEventListener("click", e => { if (table) { e.preventDefault(); table.reveal(+a.dataset.m, true); } }));
}

// ---- the table: filter, sort, unfold, details ----
function eventTable(root, data, members, text, prefix) {
  const table = $(root, "table.events"), search = $(root, ".filters input"), chips = $$(root, ".chip input"), count = $(root, ".shown");
  const single = $$(table, "tr[data-m]"), home = single.map(row => [row, row.parentNode]), flat = [];
  single.forEach(row => $(row, ".open").setAttribute("aria-expanded", "false"));
  const rows = () => $$(table, "tr[data-m]");
  const haystacks = new Map();
  let sorted = "i", down = false;
  const hay = m => {
    if (!haystacks.has(m)) {
      const words = [data.relations[data.matches[m][0]]];
      members[m].forEach((side, s) => side.forEach(i => { const k = data.kinds[data.events[s].kind[i]]; words.push(text(k[1])); k[3].forEach(f => words.push(text(f[1]))); }));
      haystacks.set(m, words.join("\n").toLowerCase());
    }
    return haystacks.get(m);
  };
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean), kinds = new Set(chips.filter(c => c.checked).map(c => c.value));
    let shown = 0;
    for (const row of rows()) {
      const fits = kinds.has(row.dataset.r) && words.every(word => hay(+row.dataset.m).includes(word));
      row.hidden = !fits;
      if (row.nextElementSibling?.className === "detail") row.nextElementSibling.hidden = !fits;
      if (fits && !row.classList.contains("one")) shown += +(row.dataset.x || 1);
    }
    for (const body of $$(table, ".fold")) body.firstElementChild.hidden = !$(body, "tr[data-m]:not([hidden])");
    count.textContent = shown === data.matches.length ? "" : `${shown} of ${data.matches.length} matches`;
  }
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 60); });
  chips.forEach(chip => chip.addEventListener("change", filter));
  document.addEventListener("keydown", e => { if (e.key === "/" && !/input|textarea/i.test(e.target.tagName)) { e.preventDefault(); search.focus(); } });

  function sort(key) {
    down = key === sorted ? !down : key !== "i"; sorted = key;
    $$(table, "th[data-sort]").forEach(th => th.dataset.sort === key ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort"));
    $$(table, "tr.detail").forEach(close);
    const plain = key === "i" && !down;
    $$(table, ".fold").forEach(body => unfold(body, false));
    if (plain) home.forEach(([row, body]) => body.append(row));
    flat.splice(0).forEach(body => body.remove());
    for (const body of table.tBodies) body.style.display = plain ? "" : "none";
    if (plain) return;
    const d = row => row.dataset, value = { i: r => +d(r).m, b: r => +d(r).b, c: r => +d(r).c, d: r => Math.abs(d(r).c - d(r).b) }[key];
    const order = single.slice().sort((a, b) => (down ? -1 : 1) * (value(a) - value(b)) || d(a).m - d(b).m);
    for (let i = 0; i < order.length; i += 100) { const body = el("tbody"); body.append(...order.slice(i, i + 100)); flat.push(body); }
    table.append(...flat);
  }
  $$(table, "th[data-sort]").forEach(th => {
    const button = el("button", th.textContent); button.type = "button"; th.textContent = ""; th.append(button);
    button.addEventListener("click", () => sort(th.dataset.sort));
  });
  const close = detail => { const row = detail.previousElementSibling; detail.remove(); row && $(row, ".open")?.setAttribute("aria-expanded", "false"); };
  const list = (pairs, more = []) => { const dl = el("dl"); pairs.map(pair => pair.map(text)).concat(more).forEach(([key, value]) => dl.append(el("dt", key), el("dd", value))); return dl; };
  const percent = ratio => `${ratio < 1 ? "\u2212" : "+"}${Math.abs((ratio - 1) * 100).toFixed(1)}`;
  const within = (low, high) => low === null ? "" : high > 2 || low < .5 ? ` [\u00d7${low.toFixed(2)} to \u00d7${high.toFixed(2)}]` : ` [${percent(low)} to ${percent(high)} %]`;
  const judged = t => t ? [["time", `${time(t[0])} \u2192 ${time(t[1])}, ${percent(t[2])} %${within(t[3], t[4])}: ${text(t[5])} (${text(t[6])})`]] : [];
  function detail(row) {
    const next = row.nextElementSibling;
    if (next?.className === "detail") return close(next);
    const m = +row.dataset.m, made = el("tr", "", "detail"), cell = el("td"), cols = el("div", "", "cols"), what = el("div");
    cell.colSpan = 6; what.append(el("h4", row.dataset.x ? "this match, the first of its kind" : "this match"), list(data.matches[m][2], judged(data.matches[m][3]))); cols.append(what);
    ["baseline", "candidate"].forEach((side, s) => {
      if (!members[m][s].length) return;
      const box = el("div"); box.append(el("h4", side));
      members[m][s].slice(0, 12).forEach(i => {
        const e = data.events[s], k = data.kinds[e.kind[i]];
        box.append(el("b", text(k[1])), el("div", `${time(e.dur[i])} from ${time(e.start[i])} of the step${e.launch[i] === null ? "" : `, launched at ${time(e.launch[i])}`}`, "small dim"), list(k[3]));
      });
      if (members[m][s].length > 12) box.append(el("p", `and ${members[m][s].length - 12} more events`, "dim"));
      cols.append(box);
    });
    cell.append(cols); made.append(cell); row.after(made); $(row, ".open").setAttribute("aria-expanded", "true");
  }
  table.addEventListener("click", e => {
    const fold = e.target.closest(".unfold");
    if (fold) return unfold(fold.closest("tbody"));
    const row = e.target.closest("tr[data-m]");
    if (row && !e.target.closest("a, summary") && String(getSelection()) === "") detail(row);
  });
  // The rows of a folded stretch's single repetitions are made when they are asked for, after the pattern of its sums.
  function unfold(body, open) {
    let each = body.nextElementSibling?.className === "each" ? body.nextElementSibling : null;
    const button = $(body, ".unfold"), now = open ?? (!each || each.hidden), pattern = $$(body, "tr[data-m]");
    if (now && !each) {
      each = el("tbody", "", "each");
      for (let turn = 0; turn < +body.dataset.times; turn++) pattern.forEach((row, at) => each.append(repetition(row, +body.dataset.start + turn * pattern.length + at)));
      body.after(each);
    }
    if (each) each.hidden = !now;
    button.setAttribute("aria-expanded", String(now));
    body.querySelectorAll("tr[data-m], tr.detail").forEach(row => { row.style.display = now ? "none" : ""; });
    if (now) filter();
  }
  function repetition(row, m) {
    const made = row.cloneNode(true), spent = [0, 0], orders = row.dataset.o.split("|").map(o => o ? o.split(" ").map(Number) : []);
    made.removeAttribute("id"); made.className = "one"; made.dataset.m = m; delete made.dataset.x; $(made, ".x")?.remove();
    made.hidden = false; $(made, ".open").setAttribute("aria-expanded", "false");
    members[m].forEach((side, s) => {
      const cell = $(made, [".ours", ".theirs"][s]), shown = cell ? $$(cell, "p > i") : [];
      orders[s].forEach((at, i) => { const dur = data.events[s].dur[side[at]]; spent[s] += dur; if (shown[i]) shown[i].textContent = time(dur); });
    });
    made.dataset.b = spent[0]; made.dataset.c = spent[1];
    const cells = [...made.cells].slice(-3), change = spent[1] - spent[0], bar = $(made, ".delta rect"), share = 50 * Math.min(1, Math.abs(change) / +table.dataset.largest);
    spent.forEach((ns, s) => { if (members[m][s].length) cells[s].textContent = time(ns); });
    cells[2].firstChild.nodeValue = signed(change);
    if (bar) { bar.setAttribute("class", change < 0 ? "less" : "more"); bar.setAttribute("x", `${change < 0 ? 50 - share : 50}%`); bar.setAttribute("width", `${share}%`); }
    return made;
  }
  function reveal(m, focus) {
    const fold = $$(table, ".fold").find(body => { const n = $$(body, "tr[data-m]").length || home.filter(([, b]) => b === body).length; return +body.dataset.start <= m && m < +body.dataset.start + n * +body.dataset.times; });
    const own = document.getElementById(`${prefix}m${m}`);
    if (!fold && !own) return;
    if (fold) {
      if (flat.length) { sorted = "d"; sort("i"); }
      unfold(fold, true);
    }
    const find = () => fold ? $(fold.nextElementSibling, `tr[data-m="${m}"]`) : own;
    if (find().hidden) { search.value = ""; chips.forEach(c => { c.checked = true; }); filter(); }
    const row = find();
    $$(table, ".r-hit").forEach(r => r.classList.remove("r-hit"));
    row.classList.add("r-hit");
    row.scrollIntoView({ block: "center" });
    if (focus) $(row, ".open").focus({ preventScroll: true });
  }
  return { reveal };
}

// ---- the timeline: zoom, pan, hover, keyboard ----
function timeline(stage, data, members, text, prefix, open) {
  const canvas = $(stage, ".canvas"), shapes = $(stage, ".shapes"), grid = $(stage, ".grid"), labels = $(stage, ".labels"), tip = $(stage, ".tip");
  const paths = Object.fromEntries($$(shapes, "path").map(p => [p.dataset.p, p])), live = stage.parentNode.querySelector(".live");
  const top = +stage.dataset.top, bottom = +stage.dataset.bottom, height = +stage.dataset.height;
  const row = 8, [first, final] = data.span, span = final - first, shortest = Math.min(span, 200);
  let from = first, to = final, width = 1000, chosen = null, frame = 0;
  const x = ns => (ns - from) / (to - from) * width, n = v => +v.toFixed(2);
  const relation = (s, i) => { const m = data.events[s].match[i]; return m < 0 ? 0 : data.matches[m][0]; };
  const box = (a, b, y, h) => `M${n(a)} ${y}h${n(b - a)}v${h}h${n(a - b)}z`;
  const ends = (s, i, least) => { const e = data.events[s], a = Math.max(-50, x(e.start[i])), b = Math.min(width + 50, x(e.start[i] + e.dur[i])); return [a, Math.max(b, a + least)]; };
  const ribbon = ([a, b], [c, d], y, z) => { const h = (y + z) / 2; return `M${n(a)} ${y}C${n(a)} ${h} ${n(c)} ${h} ${n(c)} ${z}H${n(d)}C${n(d)} ${h} ${n(b)} ${h} ${n(b)} ${y}z`; };
  const joins = m => { const [a, b] = members[m], most = a.length && b.length ? Math.max(a.length, b.length) : 0; return Array.from({ length: most }, (_, i) => [a[Math.floor(i * a.length / most)], b[Math.floor(i * b.length / most)]]); };
  const laneEdge = (s, i) => { const lane = data.lanes[data.events[s].lane[i]]; return s ? lane[2] : lane[2] + lane[3]; };
  // A ribbon may lean, so that both of its ends have to be placed even when they are out of sight.
  const raw = (s, i) => { const e = data.events[s], a = x(e.start[i]); return [a, Math.max(a + .8, x(e.start[i] + e.dur[i]))]; };

  function draw() {
    frame = 0;
    width = Math.max(200, canvas.clientWidth);
    shapes.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const d = {};
    const add = (name, piece) => { (d[name] ||= []).push(piece); };
    const spots = [], last = {};
    // What ends on the same half pixel as the shape drawn before it in the same colour would not be seen.
    const covered = (key, ...ends) => { const at = ends.map(e => Math.round(e * 2)).join(); if (last[key] === at) return true; last[key] = at; return false; };
    data.events.forEach((e, s) => {
      for (let i = 0; i < e.start.length; i++) {
        if (e.start[i] > to || e.start[i] + e.dur[i] < from || e.lane[i] < 0) continue;
        const [a, b] = ends(s, i, .8), lane = data.lanes[e.lane[i]], r = relation(s, i);
        if (covered("b" + e.lane[i] + data.relations[r], b)) continue;
        add("block-" + data.relations[r], box(a, b, lane[2], lane[3]));
        if (b - a > 34 && spots.length < 160) spots.push([a, b, lane[2], s, i, r]);
      }
    });
    if (data.events.length > 1) data.matches.forEach((match, m) => {
      for (const [i, k] of joins(m)) {
        if (data.events[0].lane[i] < 0 || data.events[1].lane[k] < 0) continue;
        const u = raw(0, i), l = raw(1, k);
        if (Math.max(u[1], l[1]) < 0 || Math.min(u[0], l[0]) > width) continue;
        if (covered("r" + match[0], u[1], l[1])) continue;
        add("ribbon-" + data.relations[match[0]], ribbon(u, l, laneEdge(0, i), laneEdge(1, k)));
      }
    });
    data.cpu.flat().forEach(c => {
      const reached = [], runtime = new Set(c.runtime), y = data.lanes[c.lane][2];
      for (let i = 0; i < c.start.length; i++) {
        if (c.start[i] > to || c.start[i] + c.dur[i] < from) continue;
        const a = Math.max(-9, x(c.start[i])), b = Math.min(width + 9, x(c.start[i] + c.dur[i])), depth = c.depth[i];
        if (b < (reached[depth] ?? -99) + .3) continue;
        reached[depth] = Math.max(b, a + .4);
        add(runtime.has(c.name[i]) ? "cpu-runtime" : "cpu-depth" + depth % 2, box(a, reached[depth], y + depth * row, row - 1));
      }
    });
    for (const name in paths) if (name !== "mark") paths[name].setAttribute("d", (d[name] || []).join(""));
    write(spots); ticks(); mark();
  }
  function write(spots) {
    labels.replaceChildren(...spots.map(([a, b, y, s, i, r]) => {
      const frame = document.createElementNS(SVG, "svg"), t = document.createElementNS(SVG, "text"), left = Math.max(0, a), wide = Math.min(width, b) - left;
      const k = data.kinds[data.events[s].kind[i]], whole = text(k[0]), short = text(k[4]);
      frame.setAttribute("x", left); frame.setAttribute("y", y); frame.setAttribute("width", Math.max(0, wide)); frame.setAttribute("height", 26);
      t.setAttribute("x", 5); t.setAttribute("y", 17); t.setAttribute("class", "in r-" + data.relations[r]);
      t.textContent = whole.length * 6.8 < wide - 8 ? whole : short.length * 6.8 < wide - 6 ? short : "";
      frame.append(t); return frame;
    }));
  }
  function ticks() {
    let step = 1; const least = (to - from) / Math.max(2, Math.min(8, width / 130));
    for (let scale = 1; step < least; scale *= 10) for (const f of [1, 2, 5]) if (step < least) step = f * scale;
    const made = [];
    for (let at = Math.ceil(from / step) * step; at < to; at += step) {
      const line = document.createElementNS(SVG, "line"), t = document.createElementNS(SVG, "text"), p = x(at);
      line.setAttribute("x1", p); line.setAttribute("x2", p); line.setAttribute("y1", 18); line.setAttribute("y2", height); made.push(line);
      if (p < width - 60) { t.setAttribute("x", p + 3); t.setAttribute("y", 12); t.textContent = at ? time(at) : "0"; made.push(t); }
    }
    grid.replaceChildren(...made);
  }
  const later = () => { frame ||= requestAnimationFrame(draw); };
  function view(a, b) {
    const wide = Math.min(span, Math.max(shortest, b - a));
    a = Math.max(first, Math.min(final - wide, a)); from = a; to = a + wide; later();
  }
  function zoom(factor, at = .5) { const wide = (to - from) * factor, pin = from + (to - from) * at; view(pin - wide * at, pin + wide * (1 - at)); }
  function mark() {
    const m = chosen && data.events[chosen[0]].match[chosen[1]];
    if (!chosen) return paths.mark.setAttribute("d", "");
    const pieces = [];
    (m >= 0 ? members[m] : [chosen[0] ? [] : [chosen[1]], chosen[0] ? [chosen[1]] : []]).forEach((side, s) => side.forEach(i => {
      const lane = data.lanes[data.events[s].lane[i]], [a, b] = ends(s, i, 1.5); if (!lane) return;
      pieces.push(box(a - 1, b + 1, lane[2] - 1, lane[3] + 2));
      const launch = data.events[s].launch[i];
      if (launch !== null) { const p = x(launch), y = s ? lane[2] + lane[3] : lane[2]; pieces.push(`M${n(p)} ${s ? y + 14 : y - 14}L${n(a)} ${y}`); }
    }));
    if (m >= 0) joins(m).forEach(([i, k]) => data.events[0].lane[i] >= 0 && data.events[1].lane[k] >= 0 && pieces.push(ribbon(raw(0, i), raw(1, k), laneEdge(0, i), laneEdge(1, k))));
    paths.mark.setAttribute("d", pieces.join(""));
  }
  function describe(s, i) {
    const e = data.events[s], k = data.kinds[e.kind[i]], m = e.match[i], lines = [text(k[1]), `${data.events.length > 1 ? ["baseline", "candidate"][s] + ", " : ""}${time(e.dur[i])}`];
    if (m >= 0) {
      const match = data.matches[m], other = members[m][1 - s] || [];
      lines[1] += ` \u00b7 ${data.signs[match[0]]} ${data.relations[match[0]]}`;
      if (other.length) lines.push(`${s ? "baseline" : "candidate"}: ${other.slice(0, 3).map(o => `${text(data.kinds[data.events[1 - s].kind[o]][1])} ${time(data.events[1 - s].dur[o])}`).join("; ")}${other.length > 3 ? ` and ${other.length - 3} more` : ""}`, `match ${signed(match[1])}`);
    }
    return lines;
  }
  function choose(spot, px, py, say) {
    chosen = spot; mark();
    if (!spot) { tip.hidden = true; return; }
    const lines = describe(...spot);
    tip.replaceChildren(el("b", lines[0]), ...lines.slice(1).map((line, i) => el(i ? "i" : "span", line)).flatMap((node, i) => i ? [el("br"), node] : [node]));
    tip.hidden = false;
    const room = stage.clientWidth, w = tip.offsetWidth;
    tip.style.left = Math.max(4, Math.min(room - w - 4, px + 14)) + "px"; tip.style.top = py + 18 + "px";
    if (say) live.textContent = lines.join(". ");
  }
  function hit(px, py) {
    const lane = data.lanes.findIndex(l => py >= l[2] - 1 && py <= l[2] + l[3] + 1);
    if (lane < 0) return null;
    const [s, gpu, y] = data.lanes[lane], at = from + px / width * (to - from), reach = 4 * (to - from) / width;
    if (!gpu) return under(s, lane, at, Math.floor((py - y) / row));
    let best = null, near = reach; const e = data.events[s];
    for (let i = 0; i < e.start.length; i++) {
      if (e.lane[i] !== lane) continue;
      const off = at < e.start[i] ? e.start[i] - at : at > e.start[i] + e.dur[i] ? at - e.start[i] - e.dur[i] : 0;
      if (off < near || (off === 0 && near === 0)) { near = off; best = [s, i]; }
    }
    return best;
  }
  function under(s, lane, at, depth) {
    const c = data.cpu[s].find(one => one.lane === lane); let found = -1;
    for (let i = 0; c && i < c.start.length; i++) if (c.depth[i] <= depth && c.start[i] <= at && at <= c.start[i] + c.dur[i] && (found < 0 || c.depth[i] >= c.depth[found])) found = i;
    return found < 0 ? null : { name: text(c.name[found]), line: `CPU, ${time(c.dur[found])} from ${time(c.start[found])}` };
  }
  const place = e => { const r = canvas.getBoundingClientRect(), o = stage.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top, e.clientX - o.left, e.clientY - o.top]; };
  let held = null, moved = false; const fingers = new Map();
  stage.addEventListener("pointerdown", e => { if (e.button) return; fingers.set(e.pointerId, e.clientX); held = { at: e.clientX, from, to }; moved = false; });
  stage.addEventListener("pointermove", e => {
    if (fingers.size === 2 && fingers.has(e.pointerId)) {
      const [a, b] = [...fingers.values()], before = Math.abs(a - b) || 1; fingers.set(e.pointerId, e.clientX);
      const [c, d] = [...fingers.values()], r = canvas.getBoundingClientRect(); moved = true;
      return zoom(before / (Math.abs(c - d) || 1), ((c + d) / 2 - r.left) / width);
    }
    if (held && fingers.size === 1) {
      const shift = e.clientX - held.at;
      if (moved || Math.abs(shift) > 4) {
        if (!moved) { moved = true; stage.setPointerCapture(e.pointerId); stage.classList.add("held"); choose(null); }
        const by = shift / width * (held.to - held.from); return view(held.from - by, held.to - by);
      }
    }
    const [px, py, ox, oy] = place(e), spot = hit(px, py);
    if (spot && spot.name !== undefined) { chosen = null; mark(); tip.replaceChildren(el("b", spot.name), el("span", spot.line)); tip.hidden = false; tip.style.left = Math.max(4, Math.min(stage.clientWidth - tip.offsetWidth - 4, ox + 14)) + "px"; tip.style.top = oy + 18 + "px"; } else choose(spot, ox, oy);
  });
  const up = e => { fingers.delete(e.pointerId); held = null; stage.classList.remove("held"); };
  stage.addEventListener("pointerup", up); stage.addEventListener("pointercancel", up);
  stage.addEventListener("pointerleave", () => { if (!held && document.activeElement !== stage) choose(null); });
  stage.addEventListener("click", e => { const [px, py] = place(e), spot = !moved && hit(px, py); if (spot && spot.name === undefined && data.events[spot[0]].match[spot[1]] >= 0) open(data.events[spot[0]].match[spot[1]]); });
  stage.addEventListener("dblclick", e => zoom(.4, place(e)[0] / width));
  stage.addEventListener("wheel", e => {
    if (e.ctrlKey || e.metaKey) { e.preventDefault(); zoom(Math.exp(e.deltaY * .004), place(e)[0] / width); }
    else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) { e.preventDefault(); const by = (e.deltaX || e.deltaY) / width * (to - from); view(from + by, to + by); }
  }, { passive: false });
  function go(step, side) {
    let s = chosen ? chosen[0] : 0, i = chosen ? chosen[1] : -1;
    if (side !== undefined && side !== s && data.events[side]) { const m = chosen && data.events[s].match[i], other = m >= 0 && m !== null ? members[m][side][0] : undefined; s = side; i = other ?? 0; }
    else i = Math.max(0, Math.min(data.events[s].start.length - 1, i + step));
    const e = data.events[s]; if (!e.start.length || e.lane[i] < 0) return;
    if (e.start[i] < from || e.start[i] + e.dur[i] > to) { const wide = to - from; view(e.start[i] + e.dur[i] / 2 - wide / 2, e.start[i] + e.dur[i] / 2 + wide / 2); draw(); }
    const lane = data.lanes[e.lane[i]];
    choose([s, i], Math.max(0, x(e.start[i])) + 14, lane[2] + lane[3], true);
  }
  const keys = {
    "+": () => zoom(.6), "=": () => zoom(.6), "-": () => zoom(1 / .6), w: () => zoom(.6), s: () => zoom(1 / .6), 0: () => view(first, final), Home: () => view(first, final),
    a: () => view(from - (to - from) * .2, to - (to - from) * .2), d: () => view(from + (to - from) * .2, to + (to - from) * .2),
    ArrowRight: () => go(1), ArrowLeft: () => go(-1), ArrowUp: () => go(0, 0), ArrowDown: () => go(0, 1), Escape: () => choose(null),
    Enter: () => { const m = chosen && data.events[chosen[0]].match[chosen[1]]; if (chosen && m >= 0) open(m); },
  };
  stage.addEventListener("keydown", e => { const act = !e.ctrlKey && !e.metaKey && !e.altKey && keys[e.key]; if (act) { e.preventDefault(); act(); } });
  stage.addEventListener("blur", () => choose(null));
  $$(stage.parentNode, ".tools button").forEach(b => b.addEventListener("click", () => ({ in: () => zoom(.5), out: () => zoom(2), all: () => view(first, final) })[b.dataset.do]()));
  new ResizeObserver(later).observe(canvas);
  later();
}
document.querySelectorAll("[data-prefix]").forEach(article);
// A link to a decoded name opens it; printing opens everything.
function unfoldTarget() { const to = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1))); if (to?.tagName === "DETAILS") to.open = true; }
addEventListener("hashchange", unfoldTarget); unfoldTarget();
addEventListener("beforeprint", () => $$(document, "details:not(.name)").forEach(d => { d.open = true; }));
