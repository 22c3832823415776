// The gallery of an audit, opened from disk. What is shown stands in the address behind "#", so that a link restores
// it. Ids, labels and parameters are somebody else's: text only ever becomes text.

const $ = (id) => document.getElementById(id);
const all = (selector) => document.querySelectorAll(selector);
const about = JSON.parse($("about").textContent), { shards, tabs: TABS, marks: MARKS } = about;
const grid = $("cards"), dialog = $("detail"), filters = $("filters"), root = document.documentElement;

const PAGE = 200, FIRST = 16; // cards in the grid, and those there at once
const DEFAULTS = {
  tab: "", step: "", class: "", aspect: "", area: "", status: "", finding: "", mark: "", q: "", sort: "left", down: "", page: "1", card: "",
};

const state = { ...DEFAULTS };
let cards = []; // all that have arrived
let view = []; // those that the state chooses, in its order
let list = []; // those of its page
let current = null; // the card of keys
let arrivals = 0, run = "";
const byNumber = new Map(), orders = new Map();

// Elements, text, what is kept.

/** Make an element, as "p.faint"; what begins with "svg:" is drawn. */
function make(tag, attributes, ...children) {
  const [name, ...classes] = tag.replace("svg:", "").split(".");
  const made = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  if (classes.length) made.setAttribute("class", classes.join(" "));
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.append(...children);
  return made;
}

const UNSEEN = /(?! )[\p{C}\p{Z}]/gu; // line ends, and marks that turn the direction of others
const hex = (each, digits) => each.codePointAt(0).toString(16).padStart(digits, "0");
const clean = (text) => `${text}`.replace(UNSEEN, (each) => `\\u${hex(each, 4)}`);

/** Both ends of a text. */
function brief(text, most = 90) {
  const told = clean(text);
  return told.length > most ? `${told.slice(0, most - 20)} … ${told.slice(-20)}` : told;
}

function whole(text, most = 60) {
  const told = make("bdi", {}, clean(text)), start = brief(text, most);
  return start === told.textContent ? told : make("details", {}, make("summary", {}, start), told);
}

function percent(share) {
  if (share == null || share > 1) return "–";
  if (share > 0.999 && share < 1) return "> 99.9 %";
  return share && share < 1e-5 ? "< 0.001 %" : `${+(100 * share).toPrecision(3)} %`;
}

const number = (count) => count.toLocaleString("en");

function recall(name) {
  try { return localStorage.getItem(`safeaug.${name}`); } catch { return null; }
}

function keep(name, value) {
  try { localStorage.setItem(`safeaug.${name}`, value); } catch { $("kept").hidden = false; }
}

function say(text) {
  for (const each of all(".said")) each.textContent = text;
}

// What a card says.

const stepOf = (card) => card.step || (card.damaged || card.emptied ? about.none : "");
const bad = (card, i) => /SLIVER|GHOST|ORPHAN/.test(card.fates[i]);
const hurt = (card, i) => bad(card, i) || (card.emptied && card.fates[i] === "GONE");
const title = (card) => `${brief(card.id)}, draw ${card.draw}`;
const named = (card, i) => brief(card.labels[i] || "object", 24);

/** The least that is left of a damaged object, or of one that counts if none is. */
function least(card, left) {
  const known = [...left.entries()].filter(([i, share]) => share != null && card.counted[i]);
  const some = known.filter(([i]) => bad(card, i));
  return Math.min(...(some.length ? some : known).map(([, share]) => share));
}

const leftOf = (card, left) => `${percent(least(card, left))} left`;

const FACETS = {
  step: (card) => [stepOf(card)],
  class: (card) => card.labels,
  aspect: (card) => [card.aspect],
  area: (card) => card.areas,
  status: (card) => [card.status],
  finding: (card) => card.findings,
  mark: marks,
};
const SORTS = {
  left: (card) => card.least,
  aspect: (card) => card.size && card.size[1] / card.size[0],
  class: (card) => card.labels.find((_, i) => hurt(card, i)) ?? card.labels[0],
  step: stepOf,
  id: (card) => card.id,
};

// The state, and the address.

function read() {
  const hash = location.hash.slice(1), given = new URLSearchParams(hash);
  if (hash && !hash.includes("=")) return;
  for (const name in DEFAULTS) state[name] = given.get(name) ?? DEFAULTS[name];
}

/** Show something else, on the first page if nothing is said. */
function go(change, replace = false, opened = false) {
  Object.assign(state, { page: "1", card: "" }, change);
  const told = new URLSearchParams(Object.entries(state).filter(([name, value]) => value !== DEFAULTS[name]));
  history[replace ? "replaceState" : "pushState"](replace ? history.state : { opened }, "", `#${told}`);
  show();
}

let drawn;
function show() {
  state.tab ||= tabs()[0];
  const wanted = JSON.stringify({ ...state, card: "", arrivals });
  if (wanted !== drawn) {
    drawn = wanted;
    view = chosen();
    controls();
    fill();
  }
  detail();
}

const inTab = (card, name) => name === "all" || card.tabs.includes(name);
const tabs = () => Object.keys(TABS).filter((name) => name === "all" || cards.some((card) => inTab(card, name)));

function chosen() {
  const active = Object.keys(FACETS).filter((name) => state[name]), text = state.q.toLowerCase();
  return ordered(state.sort, state.down, state.tab).filter((card) =>
    active.every((name) => FACETS[name](card).includes(state[name])) && (!text || card.find.includes(text)));
}

/** The cards of a tab in order; those that lack what it goes by stand last. */
function ordered(sort, down, tab) {
  const name = `${[sort, down, tab]}`, sign = down ? -1 : 1;
  if (!orders.has(name)) {
    const keyed = cards.filter((card) => inTab(card, tab)).map((card) => ({ card, key: (SORTS[sort] || SORTS.left)(card) ?? "" }));
    keyed.sort((a, b) => (a.key === "") - (b.key === "") || sign * ((a.key > b.key) - (a.key < b.key)) || a.card.n - b.card.n);
    orders.set(name, keyed.map(({ card }) => card));
  }
  return orders.get(name);
}

// What stands above the cards.

let offered;
function controls() {
  if (offered !== state.tab + arrivals) {
    offered = state.tab + arrivals;
    $("tabs").replaceChildren(...tabs().map((name) => {
      const count = number(cards.filter((card) => inTab(card, name)).length);
      return make("a", { href: `#tab=${name}`, "aria-current": name === state.tab }, TABS[name], make("small", {}, ` ${count}`));
    }));
    Object.keys(FACETS).forEach(choices);
  }
  for (const each of filters.querySelectorAll("[name]")) each.value = state[each.name];
  $("down").setAttribute("aria-pressed", state.down === "1");
  const last = Math.ceil(view.length / PAGE) || 1;
  state.page = `${Math.min(Math.max(state.page | 0, 1), last)}`;
  const more = arrivals < shards.length ? "; more are coming" : "";
  $("shown").textContent = `${number(view.length)} draws${last > 1 ? `, page ${state.page} of ${last}` : ""}${more}`;
  for (const each of all(".turn")) each.disabled = +state.page === (each.dataset.letter === ">" ? last : 1);
}

/** What a filter can choose, the most frequent first. */
function choices(name) {
  if (name === "mark") return;
  const counts = new Map(state[name] && [[state[name], 0]]);
  for (const value of cards.flatMap((card) => (inTab(card, state.tab) ? [...new Set(FACETS[name](card))] : []))) {
    if (value) counts.set(value, (counts.get(value) || 0) + 1);
  }
  const option = ([value, count]) => make("option", { value }, `${brief(value, 60)} (${number(count)})`);
  filters.elements[name].length = 1;
  filters.elements[name].append(...[...counts].sort(([, one], [, other]) => other - one).map(option));
}

// The grid.

let later;
function fill() {
  list = view.slice((state.page - 1) * PAGE, state.page * PAGE);
  grid.className = state.tab;
  grid.replaceChildren();
  put(FIRST);
  clearTimeout(later);
  later = setTimeout(put, 30, PAGE);
}

function put(most) {
  const kind = state.tab === "guarded" ? "three" : "two";
  grid.append(...list.slice(grid.childElementCount, most).map((card) => marked((card[kind] ||= built(card)), card)));
}

function built(card) {
  const three = state.tab === "guarded" && card.guarded;
  const some = [...card.labels.keys()].filter((i) => hurt(card, i));
  const fates = some.slice(0, 2).map((i) => `${card.fates[i]} ${named(card, i)}`);
  if (some.length > 2) fates.push(`${some.length - 2} more`);
  const left = some.length ? leftOf(card, card.left) : card.least == null ? "–" : "not damaged";
  const step = [stepOf(card), card.status === "FIRST" ? "" : card.status].filter(Boolean).join(" · ");
  return make("li.card", {},
    make("div.pair", {}, ...pictures(card, three)),
    make("p", {}, make("a.open", { href: `#card=${card.n}`, "data-n": card.n },
      make("bdi", {}, brief(card.id)), " ", make("span.faint", {}, `draw ${card.draw}`))),
    make("p", {}, make("strong", {}, left), " ", fates.join(", ")),
    make("p.faint", {}, three ? `guarded: ${leftOf(card, three.left)}` : brief(step)),
    make("p.marks"));
}

// Pictures, and what is drawn over them.

function pictures(card, three, large) {
  const views = [
    pictured(card, card.before, "Before", "before", [card.window, three?.window], card.boxes, large),
    pictured(card, card.after, three ? "Plain" : "After", `after, ${leftOf(card, card.left)}`, [], card.boxes_after, large),
  ];
  if (three) views.push(pictured(card, three, "Guarded", `guarded, ${leftOf(card, three.left)}`));
  if (card.heat) {
    views[0].append(make("img.heat", { src: card.heat.src, alt: "" }));
    $("saliency").hidden = false;
  }
  return views;
}

function pictured(card, image, name, alt, frames = [], boxes = [], large) {
  const out = make("div.view");
  if (image?.src) {
    const size = image.size || [1, 1], viewBox = `0 0 ${size[1]} ${size[0]}`;
    const svg = make("svg:svg", { viewBox, "aria-hidden": true }, ...layers(card, size, frames, boxes, large));
    out.append(make("img", { src: image.src, alt: `${title(card)}: ${alt}`, decoding: "async" }), svg);
  } else out.append(make("p.missing", {}, `No picture. ${brief(card.missing, 200)}`));
  if (name) out.append(make("span.what", {}, name));
  return out;
}

const scaled = (corners, [height, width]) => corners.map(([x, y]) => [x * width, y * height]);

/** Windows and boxes: a light line on a dark one shows on any picture. */
function layers(card, [height, width], [frame, guarded], boxes, large) {
  const out = [], names = [], size = Math.min(Math.max(height, width) / 21, height / 7);
  const ring = (corners) => `M${scaled(corners, [height, width]).join("L")}Z`;
  const line = (name, d) => d && out.push(make(`svg:path.dark.${name}`, { d }), make(`svg:path.light.${name}`, { d }));
  if (frame) {
    out.push(make("svg:svg.window", { width, height }, make("svg:path.shade", { d: `M0 0H${width}V${height}H0Z${ring(frame)}` })));
    line("window", ring(frame));
  }
  line("window.guarded", guarded && ring(guarded));
  for (const hit of [false, true]) {
    const some = boxes.filter((box, i) => box && hurt(card, i) === hit);
    line(hit ? "box.hit" : "box", some.map(([x, y, right, low]) => ring([[x, y], [right, y], [right, low], [x, low]])).join(""));
  }
  if (large) boxes.forEach((box, i) => {
    if (!box) return;
    let [x, y] = scaled([box], [height, width])[0];
    while (names.some(([a, b]) => Math.abs(a - x) < 7 * size && Math.abs(b - y) < size)) y += size / 2;
    names.push([x, y]);
    out.push(make("svg:text.box", { x: x + size / 3, y: y + size, "font-size": size }, named(card, i)));
  });
  return out;
}

// Decisions.

const decisions = new Map(); // by draw and id
const past = []; // what Undo brings back, act by act
const keyOf = (card) => `${card.draw} ${card.id}`;
const decided = (card) => decisions.get(keyOf(card)) || { id: card.id, draw: card.draw, verdict: null, flag: false, note: "" };
const exported = () => JSON.stringify({ schema: "safeaug.review/1", run, decisions: [...decisions.values()] }, null, 1);

function marks(card) {
  const { verdict, flag, note } = decided(card);
  return [verdict || "open", flag && "flag", note && "note"];
}

/** Take decisions; a note is undone as one. */
function decide(changes, note = "") {
  if (!note || past.at(-1)?.note !== note) past.push(Object.assign(changes.map(decided), { note }));
  settle(changes);
}

function settle(changes) {
  for (const each of changes) {
    if (each.verdict || each.flag || each.note) decisions.set(keyOf(each), each);
    else decisions.delete(keyOf(each));
  }
  keep(`review ${run}`, exported());
  review();
}

function review() {
  const taken = [...decisions.values()];
  const count = (name) => taken.filter((each) => each.verdict === name || each[name]).length;
  const counts = ["accept", "reject", "flag", "note"].map((name) => `${number(count(name))} ${MARKS[name]}`);
  $("counts").textContent = `${counts.join(", ")}; of ${number(cards.length)} draws`;
  for (const each of all("[data-letter=u]")) each.disabled = !past.length;
  [...grid.children].forEach((node, i) => marked(node, list[i]));
  if (dialog.open) pressed();
}

function marked(node, card) {
  const told = marks(card);
  if (node.dataset.marks === String(told)) return node;
  node.dataset.marks = told;
  const words = { accept: "✓ accepted", reject: "✗ rejected", flag: "⚑ flagged", note: `✎ ${brief(decided(card).note, 60)}` };
  node.lastChild.replaceChildren(...told.filter((each) => words[each]).map((each) => make("bdi", {}, words[each])));
  return node;
}

const tally = () => $("counts").textContent;

function mark(card, change, said) {
  decide([{ ...decided(card), ...change }]);
  say(`${said}: ${title(card)}. ${tally()}`);
}

function undo() {
  const last = past.pop();
  if (!last) return;
  settle(last);
  const card = cards.find((each) => keyOf(each) === keyOf(last[0]));
  if (card) stand(card);
  say(`Undone. ${tally()}`);
}

function save() {
  const href = URL.createObjectURL(new Blob([exported()], { type: "application/json" }));
  make("a", { href, download: `review-${run}.json` }).click();
  say(`Exported: ${tally()}`);
}

async function load(file) {
  let given = null;
  try { given = JSON.parse(await file.text()); } catch { /* said below */ }
  if (given?.schema !== "safeaug.review/1" || !Array.isArray(given.decisions)) {
    return say('Nothing was imported: expected "safeaug.review/1", as Export writes it.');
  }
  const sound = ({ id, draw, verdict }) => typeof id === "string" && Number.isInteger(draw) && [null, "accept", "reject"].includes(verdict);
  const taken = given.decisions.filter((each) => each && sound(each)).map(({ id, draw, verdict, flag, note }) =>
    ({ id, draw, verdict, flag: flag === true, note: String(note ?? "") }));
  if (taken.length) decide(taken);
  const here = new Set(cards.map(keyOf)), strange = taken.filter((each) => !here.has(keyOf(each))).length;
  const lost = given.decisions.length - taken.length, other = given.run === run ? "" : ", of another run";
  say(`Imported ${taken.length} decisions${other}; ${strange} of draws not here; ${lost} could not be read.`);
}

// One draw.

function detail() {
  const card = byNumber.get(state.card);
  if (!card) {
    dialog.close();
    if (state.card && arrivals >= shards.length) say("No such draw.");
    return;
  }
  if (!dialog.open || current !== card) tell(card);
  if (!dialog.open) dialog.showModal();
}

function tell(card) {
  current = card;
  dialog.dataset.n = card.n;
  const at = view.indexOf(card), views = pictures(card, card.guarded, true), wipe = $("wipe");
  const lid = laid(card, views[0].querySelector("svg"));
  $("detail-id").replaceChildren(whole(card.id, 160), ` draw ${card.draw}`);
  $("place").textContent = `${at + 1} of ${number(view.length)}`;
  $("figures").replaceChildren(...views);
  $("figures").classList.toggle("wide", SORTS.aspect(card) > 2);
  wipe.value = 0;
  wipe.oninput = () => lid.setAttribute("width", `${wipe.value}%`);
  objects(card);
  facts(card);
  film(card);
  $("again").textContent = `${about.replay} --id ${quoted(card.id)} --draw ${card.draw}${about.more}`;
  $("note").value = decided(card).note;
  $("scroll").scrollTop = 0;
  pressed();
}

/** The result, laid over the picture where it was taken from, if that is told. */
function laid(card, svg) {
  if (!svg || !card.after?.src) return null;
  const [height, width] = card.before.size, image = { href: card.after.src, width, height };
  if (card.window?.length === 4) {
    const [a, b, c, d] = scaled(card.window, card.before.size), side = (one) => [one[0] - a[0], one[1] - a[1]];
    if (Math.hypot(a[0] - b[0] + c[0] - d[0], a[1] - b[1] + c[1] - d[1]) < (width + height) / 50) {
      Object.assign(image, { width: 1, height: 1, preserveAspectRatio: "none", transform: `matrix(${[side(b), side(d), a]})` });
    }
  }
  const lid = make("svg:svg", { width: "0%", height }, make("svg:image", image));
  svg.prepend(lid);
  return lid;
}

function objects(card) {
  const film = (card.film || []).map((frame) => [`after ${brief(frame.step, 40)}`, frame.left]);
  const columns = [...(film.length ? film : [["left", card.left]]), ...(card.guarded ? [["guarded", card.guarded.left]] : [])];
  const heads = ["object", ...columns.map(([head]) => head), "what became of it"];
  const rows = card.labels.map((label, i) => make("tr", {},
    make("th", { scope: "row" }, whole(label || "object")),
    ...columns.map(([, left]) => make("td.number", {}, percent(left?.[i]))),
    make("td", {}, card.counted[i] ? card.fates[i] || "not told" : "not asked for")));
  const { tHead, tBodies } = $("objects");
  tHead.replaceChildren(make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head))));
  tBodies[0].replaceChildren(...rows);
}

const pairs = (entries) => entries.map(([name, value]) => make("div", {}, make("dt", {}, brief(name, 40)), make("dd", {}, whole(value))));

function facts(card) {
  const size = (each) => each && `${each[1]} x ${each[0]}`;
  const told = {
    "step to blame": stepOf(card), findings: card.findings.join(", "), status: card.status,
    picture: size(card.size), shape: card.aspect, output: size(card.output), "shows of it": percent(card.area), padding: percent(card.padded),
    "stretched by": card.stretch?.toPrecision(3), class: card.group, key: card.key, shown: card.after?.note, ...Object.fromEntries(card.told ?? []),
  };
  $("facts").replaceChildren(...pairs(Object.entries(told).filter(([, value]) => value)));
}

function film(card) {
  $("film").replaceChildren(...(card.film || []).map((frame) => make("li", {},
    pictured(card, frame, "", `after ${brief(frame.step)}`),
    make("strong", {}, brief(frame.step, 60)),
    make("p", {}, leftOf(card, frame.left)),
    make("dl", {}, ...pairs(frame.params)))));
}

function pressed() {
  for (const each of all("[data-mark]")) each.setAttribute("aria-pressed", marks(current).includes(each.dataset.mark));
}

/** An id as a shell takes it. */
function quoted(id) {
  if (/^[\w./:@%+=,-]+$/.test(id)) return id;
  if (clean(id) === id) return `'${id.replace(/'/g, "'\\''")}'`;
  return `$'${id.replace(/[\\']/g, "\\$&").replace(UNSEEN, (each) => `\\U${hex(each, 8)}`)}'`;
}

// Moving about.

/** Make a card current, in dialog or grid. */
function stand(card) {
  const at = view.indexOf(card), page = at < 0 ? state.page : `${(at / PAGE | 0) + 1}`;
  if (dialog.open) return go({ page, card: `${card.n}` }, true);
  current = card;
  if (page !== state.page) go({ page }, true);
  put(PAGE);
  grid.children[list.indexOf(card)]?.querySelector(".open").focus();
}

function move(by) {
  const at = view.indexOf(current);
  const next = at < 0 ? view[0] : view[at + by] || current;
  if (next) stand(next);
}

const open = (card) => go({ page: state.page, card: `${card.n}` }, false, true);
const turn = (by) => { go({ page: +state.page + by }); $("draws").scrollIntoView(); };
const judge = (card, verdict) => { mark(card, { verdict }, MARKS[verdict]); move(1); };

const LETTERS = {
  j: () => move(1),
  k: () => move(-1),
  u: undo,
  "<": () => turn(-1),
  ">": () => turn(1),
  a: (card) => judge(card, "accept"),
  r: (card) => judge(card, "reject"),
  f: (card) => mark(card, { flag: !decided(card).flag }, decided(card).flag ? "not flagged" : "flagged"),
  n: (card) => { if (!dialog.open) open(card); $("note").focus(); },
};

document.onkeydown = (event) => {
  const { target, key } = event, letter = key.toLowerCase(), inside = dialog.open || grid.contains(target);
  const row = dialog.open ? 0 : getComputedStyle(grid).gridTemplateColumns.split(" ").length;
  const by = inside && target.type !== "range" && { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row }[key];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape" && target === $("note")) $("detail-id").focus();
  else if (target.matches("textarea, select, [type=search]")) return;
  else if (by) move(by);
  else if (letter in LETTERS && $("keys").checked && ("jku<>".includes(letter) || (inside && current))) LETTERS[letter](current);
  else return;
  event.preventDefault();
};

grid.addEventListener("focusin", ({ target }) => {
  current = byNumber.get(target.dataset.n) || current;
});

document.onclick = (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const told = link.hash.slice(1), change = Object.fromEntries(new URLSearchParams(told)), place = $(told) || $("draws");
  if (link.dataset.n) return open(byNumber.get(link.dataset.n));
  if (link.closest("#tabs")) return go(change);
  if (!$(told)) go({ ...DEFAULTS, ...change });
  place.scrollIntoView();
  place.focus({ preventScroll: true });
};

window.onpopstate = () => { read(); show(); };
dialog.onclose = () => {
  const card = byNumber.get(dialog.dataset.n);
  if (state.card && history.state?.opened) {
    addEventListener("popstate", () => stand(card), { once: true });
    return history.back();
  }
  if (state.card) go({ page: state.page }, true);
  stand(card);
};

// What can be pressed.

const PRESSED = {
  down: () => go({ down: state.down ? "" : "1" }),
  clear: () => go({ ...DEFAULTS, tab: state.tab, sort: state.sort, down: state.down }),
  close: () => dialog.close(),
  export: save,
  import: () => $("file").click(),
  async copy() {
    getSelection().selectAllChildren($("again"));
    try {
      await navigator.clipboard.writeText($("again").textContent);
      say("Copied.");
    } catch { say("Selected: press Ctrl+C."); }
  },
  theme() {
    theme(root.dataset.theme === "dark" ? "light" : "dark");
    keep("theme", root.dataset.theme);
  },
};
for (const id in PRESSED) $(id).onclick = PRESSED[id];
for (const each of all("[data-letter]")) each.onclick = () => LETTERS[each.dataset.letter](current);
filters.oninput = ({ target: { name, value, checked, dataset: { layer } } }) => {
  if (layer) root.classList.toggle(`no-${layer}`, !checked);
  else go({ [name]: value }, name === "q");
};
$("note").oninput = ({ target }) => decide([{ ...decided(current), note: target.value }], keyOf(current));
$("file").onchange = async ({ target }) => {
  if (target.files.length) await load(target.files[0]);
  target.value = "";
};
$("keys").checked = recall("keys") !== "false";
$("keys").onchange = () => keep("keys", $("keys").checked);

function theme(name) {
  root.dataset.theme = name || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  $("theme").setAttribute("aria-pressed", root.dataset.theme === "dark");
}
theme(recall("theme"));

// The cards, as they arrive.

function take(shard) {
  run ||= shard.run;
  cards = cards.concat(shard.cards);
  for (const card of shard.cards) {
    card.find = `${card.id}\n${clean(card.id)}`.toLowerCase();
    byNumber.set(`${card.n}`, card);
  }
}

function arrived() {
  arrivals += 1;
  if (arrivals > 1 && arrivals < shards.length) return;
  if (arrivals === 1) {
    try { for (const each of JSON.parse(recall(`review ${run}`)).decisions) decisions.set(keyOf(each), each); } catch { /* none */ }
  }
  orders.clear();
  show();
  review();
  Object.keys(SORTS).forEach((sort, i) => setTimeout(ordered, 50 * i, sort, "", state.tab));
}

const plain = { createScriptURL: (name) => name };
const trusted = window.trustedTypes?.createPolicy("safeaug", plain) ?? plain;

function fetched(name) {
  const script = make("script");
  script.async = false; // in order
  script.onload = () => {
    if (!arrivals) shards.slice(1).forEach(fetched);
    arrived();
  };
  script.onerror = () => { say(`${name} is missing beside this page.`); script.onload(); };
  script.src = trusted.createScriptURL(name);
  document.head.append(script);
}

read();
window.safeaug = { push: take };
if (shards.length) fetched(shards[0]);
else {
  const pictures = JSON.parse($("images").textContent);
  JSON.parse($("inline").textContent, (key, value) => (key === "src" && pictures[value]) || value).forEach(take);
  arrived();
}
